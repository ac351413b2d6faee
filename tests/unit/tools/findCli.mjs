// @ts-check
/** Prints the folder of the Pulumi CLI that the bootstrap finds or creates. */
import { findPulumiCli } from "../../../tools/bootstrap/index.mjs";
import { command } from "../../../tools/terminal/command.mjs";

await command("", async () => {
  process.stdout.write(await findPulumiCli());
  return 0;
});
