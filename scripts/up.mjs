// @ts-check
/** `npm run up`: runs `pulumi up` on the demo stack. */
import { help, runOnDemoStack } from "./demo/stack.mjs";
import { command } from "./terminal.mjs";

// A preview would print the outputs twice. By default, Pulumi shortens long ones.
const options = ["--yes", "--skip-preview", "--show-full-output"];
await command(help, (args) => runOnDemoStack(["up", ...options, ...args]));
