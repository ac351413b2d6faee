// @ts-check
/** `npm run up`: runs `pulumi up` on the demo stack. */
import { help, runOnDemoStack } from "./demoStack.mjs";
import { command } from "./terminal/command.mjs";

await command(help, (args) => runOnDemoStack(["up", "--yes", ...args]));
