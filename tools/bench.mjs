// @ts-check
// `npm run bench`: the measurements of bench/, on what is built and the Pulumi CLI that is found.
import path from "node:path";
import { bootstrap, findPulumiCli } from "./bootstrap/index.mjs";
import { command } from "./terminal/command.mjs";
import { Failure } from "./terminal/failure.mjs";
import { run } from "./terminal/run.mjs";
import { root } from "./workspace.mjs";

const HELP = `
npm run bench               measures pulumi-clouddb beside dynamic providers and the simulator beside
                            a bare server; prints the tables and writes them to bench/results.md
                            (about 25 minutes)
npm run bench -- --quick    fewer runs, and only what the goals speak of (under 3 minutes)

Let nothing else run on the machine meanwhile.`;

await command(HELP, async (args) => {
  const unknown = args.find((arg) => arg !== "--quick");
  if (unknown !== undefined) throw new Failure(`Unknown argument: ${unknown}\n${HELP}`);
  await bootstrap();
  const bin = await findPulumiCli();
  // Neither settings nor a proxy: the service is on this machine.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^CLOUDDB_|^https?_proxy$|^no_proxy$/i.test(name),
  );
  const env = {
    ...Object.fromEntries(inherited),
    PATH: `${bin}${path.delimiter}${process.env.PATH ?? ""}`,
  };
  const script = ["--require", "ts-node/register", path.join(root, "bench", "main.ts")];
  return run(process.execPath, [...script, ...args], { cwd: root, env });
});
