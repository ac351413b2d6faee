// @ts-check
/** Environments for child processes. */

/**
 * Removes the provider's settings. Settings for a real service must not reach tests, benchmarks or the
 * demo stack: a key would be sent to the wrong server, and other settings would break the run.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv} a copy without the variables that start with CLOUDDB_
 */
export function withoutSettings(environment) {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith("CLOUDDB_")),
  );
}
