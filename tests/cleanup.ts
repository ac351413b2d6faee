/** Releases what a test started, also after a failing test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** When to release: after each test, or after all tests of the enclosing `describe`. */
export type Lifetime = "test" | "file";

/** Stops or removes something. */
type Release = () => unknown;

/** Registers what to release; the last one registered is released first. */
export type Cleanup = (release: Release) => void;

/**
 * Registers the mocha hook that releases everything, whichever release fails.
 *
 * @param lifetime when to release
 * @returns registers a release
 */
export function useCleanup(lifetime: Lifetime): Cleanup {
  const releases: Release[] = [];
  const hook = lifetime === "test" ? afterEach : after;
  hook("release what was started", async () => {
    const failures: unknown[] = [];
    for (const release of releases.splice(0).reverse()) {
      try {
        await release();
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw failures[0];
  });
  return (release) => {
    releases.push(release);
  };
}

/**
 * Creates a temporary folder.
 *
 * @param cleanup removes the folder
 * @param parent the folder to create it in
 */
export function temporaryFolder(cleanup: Cleanup, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "clouddb-test-"));
  cleanup(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A temporary folder of this process, which is removed when the process exits. */
export const processFolder = mkdtempSync(join(tmpdir(), "clouddb-tests-"));
process.once("exit", () => {
  rmSync(processFolder, { recursive: true, force: true });
});
