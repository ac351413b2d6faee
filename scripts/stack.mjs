// @ts-check
/** `npm run pulumi -- <args>`: runs Pulumi on the demo stack. */
import { help, runOnDemoStack } from "./demoStack.mjs";
import { command } from "./terminal/command.mjs";

await command(help, runOnDemoStack);
