/** The version of this package and of Node.js. Every version of Node.js can load the compiled file. */
// oxlint-disable-next-line typescript/no-unsafe-assignment -- `require` is not typed
const manifest: { readonly version: string; readonly engines: { readonly node: string } } =
  require("../package.json");

export const { version } = manifest;

/** Returns what to do about a version of Node.js that is too old; undefined for any other. */
export function nodeProblem(): string | undefined {
  const needed = manifest.engines.node.replace(">=", "");
  const current = process.versions.node;
  if (current.localeCompare(needed, "en", { numeric: true }) >= 0) return undefined;
  return `pulumi-clouddb needs Node.js ${needed} or later, but ${process.execPath} is ${current}. Install Node.js from https://nodejs.org/, then run the command again.`;
}
