/** What is measured: pulumi-clouddb as it is packed for users, not what a working copy holds. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { unpackProvider } from "../tests/package/packed";

/** Below the repository, whose node_modules hold what the package depends on. */
export const benchFolder = join(__dirname, "..", ".clouddb", "bench");

/** Packs it into the node_modules of an empty {@link benchFolder}. */
export function packProvider(): void {
  rmSync(benchFolder, { recursive: true, force: true });
  unpackProvider(benchFolder);
}
