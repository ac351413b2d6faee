// @ts-check
/** Prints the folder of the Pulumi CLI that the bootstrap finds or creates. */
import { findPulumiCli } from "../../../scripts/bootstrap/index.mjs";
import { command } from "../../../scripts/terminal/command.mjs";

await command("", async () => {
  process.stdout.write(await findPulumiCli());
  return 0;
});
