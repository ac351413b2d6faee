/** Packs pulumi-clouddb as for a release: the benchmarks measure the package, not the working copy. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { unpackProvider } from "../../tests/package/packed";

/** In the repository, so that the package finds its dependencies in the repository's node_modules. */
export const benchFolder = join(__dirname, "..", "..", ".clouddb", "bench");

/** Empties {@link benchFolder} and packs the provider into its node_modules. */
export function packProvider(): void {
  rmSync(benchFolder, { recursive: true, force: true });
  unpackProvider(benchFolder);
}
