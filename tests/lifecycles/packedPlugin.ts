/** The plugin as npm packs it, in a folder outside the repository. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpack } from "../package/packed";

const packed: { folder: string | undefined } = { folder: undefined };

/** Packs and unpacks the plugin once, with source maps if its coverage is measured. Returns the folder. */
export function packedPlugin(): string {
  if (packed.folder !== undefined) return packed.folder;
  const folder = mkdtempSync(join(tmpdir(), "clouddb-plugin-"));
  process.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  unpack("plugin", folder);
  if (process.env["NODE_V8_COVERAGE"] !== undefined) {
    const bundle = join(__dirname, "..", "..", "plugin", "bundle.mjs");
    execFileSync(process.execPath, [bundle, join(folder, "dist")]);
  }
  packed.folder = folder;
  return folder;
}
