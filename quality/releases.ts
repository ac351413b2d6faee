/** Releases resources at the end of a run, even if the run fails. */

/** Registers a function that releases a resource. */
export type Release = (release: () => unknown) => void;

/** Runs the work, and then the functions that it registered, the last one first. */
export async function withReleases<T>(work: (release: Release) => Promise<T>): Promise<T> {
  const releases: (() => unknown)[] = [];
  try {
    return await work((release) => void releases.push(release));
  } finally {
    for (const release of releases.reverse()) await release();
  }
}
