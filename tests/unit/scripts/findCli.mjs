// @ts-check
/** Prints the folder of the Pulumi CLI that a first run finds or creates. */
import { findPulumiCli } from "../../../scripts/firstRun/cli.mjs";
import { command } from "../../../scripts/terminal.mjs";

await command("", async () => {
  process.stdout.write(await findPulumiCli(Promise.resolve()));
  return 0;
});
