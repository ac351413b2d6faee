// @ts-check
/** `npm run docs:api`: writes the API reference of the packages. */
import path from "node:path";
import { prepare } from "./firstRun/index.mjs";
import { run } from "./processes.mjs";
import { Failure, command, say } from "./terminal.mjs";
import { installed, root } from "./workspace.mjs";

const help = `
npm run docs:api    writes the API reference of pulumi-clouddb, clouddb-connection-strings and clouddb-simulator
                    to .clouddb/api, as HTML; fails if a link in a comment is broken`;

await command(help, async (args) => {
  if (args.length > 0) throw new Failure(`Unknown argument: ${args[0]}\n${help}`);
  await prepare();
  const code = await run(process.execPath, [installed("typedoc/bin/typedoc")], { cwd: root });
  if (code === 0) say(`Open ${path.join(root, ".clouddb", "api", "index.html")} in a browser.`);
  return code;
});
