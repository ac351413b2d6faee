/** Releases the resources that a test acquired, even if the test fails. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** "test" releases after each test, "file" after all tests of the enclosing `describe`. */
export type Lifetime = "test" | "file";

/** Stops a process or a service, or removes a folder. */
type Release = () => unknown;

/** Registers a release. The last one registered runs first. */
export type Cleanup = (release: Release) => void;

/** Registers the Mocha hook that runs all releases, even if one of them fails. */
export function useCleanup(lifetime: Lifetime): Cleanup {
  const releases: Release[] = [];
  const hook = lifetime === "test" ? afterEach : after;
  hook("release resources", async () => {
    const failures: unknown[] = [];
    for (const release of releases.splice(0).reverse()) {
      try {
        await release();
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join("\n"));
  });
  return (release) => {
    releases.push(release);
  };
}

export function temporaryFolder(cleanup: Cleanup, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "clouddb-test-"));
  cleanup(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Creates a temporary folder in the repository, where a program finds the packages in node_modules. */
export function scratchFolder(cleanup: Cleanup): string {
  const parent = join(__dirname, "../..", ".clouddb", "tests");
  mkdirSync(parent, { recursive: true });
  return temporaryFolder(cleanup, parent);
}

/** A temporary folder of this process, which is removed when the process exits. */
export const processFolder = mkdtempSync(join(tmpdir(), "clouddb-tests-"));
process.once("exit", () => {
  rmSync(processFolder, { recursive: true, force: true });
});
