/** The plugin as npm packs it, in a folder of its own outside of the repository. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpack } from "../package/packed";

const packed: { folder: string | undefined } = { folder: undefined };

/** Packs and unpacks the plugin once for all tests of this process. Returns the folder. */
export function packedPlugin(): string {
  if (packed.folder !== undefined) return packed.folder;
  const folder = mkdtempSync(join(tmpdir(), "clouddb-plugin-"));
  process.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  unpack("plugin", folder);
  packed.folder = folder;
  return folder;
}
