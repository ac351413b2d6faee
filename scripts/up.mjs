// @ts-check
/** `npm run up`: runs `pulumi up` on the demo stack. */
import { help, runOnDemoStack } from "./demo/stack.mjs";
import { command } from "./terminal.mjs";

await command(help, (args) => runOnDemoStack(["up", "--yes", ...args]));
