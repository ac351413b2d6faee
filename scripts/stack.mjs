// @ts-check
/** `npm run pulumi -- <args>`: runs Pulumi on the demo stack. */
import { help, runOnDemoStack } from "./demo/stack.mjs";
import { command } from "./terminal.mjs";

await command(help, runOnDemoStack);
