// @ts-check
/** Environments for child processes. */
import fs from "node:fs";
import path from "node:path";

/**
 * Removes the provider's settings. Settings for a real service must not reach tests, benchmarks or the demo stack. A
 * key would be sent to the wrong server, and other settings would break the run.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv} a copy without the variables that start with CLOUDDB_
 */
export function withoutSettings(environment) {
  // Windows ignores the case of names.
  const setting = process.platform === "win32" ? /^CLOUDDB_/i : /^CLOUDDB_/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !setting.test(name)));
}

const loopback = "127.0.0.1,localhost";

/**
 * Exempts loopback from the proxy, which cannot reach the service of the demo, the tests and the benchmarks on this
 * machine.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv} a copy with loopback in both spellings of NO_PROXY, because programs
 *   differ in the one they prefer
 */
export function withoutLoopbackProxy(environment) {
  const { NO_PROXY: upper, no_proxy: lower } = environment;
  /** @param {string | undefined} hosts */
  const extended = (hosts) => {
    if (!hosts) return loopback;
    return hosts === "*" ? hosts : `${hosts},${loopback}`;
  };
  return { ...environment, NO_PROXY: extended(upper || lower), no_proxy: extended(lower || upper) };
}

/**
 * Returns the environment for tests and measurements of the packages.
 * @param {string | undefined} bin the folder of the Pulumi CLI, which the Automation API and child
 *   processes find on PATH; undefined if they need none
 * @returns {NodeJS.ProcessEnv}
 */
export function testEnvironment(bin) {
  const env = withoutLoopbackProxy(withoutSettings(process.env));
  return bin === undefined ? env : { ...env, PATH: pathWith(bin) };
}

/**
 * Returns PATH with folders in front. It is read from this process, because a copy of the environment may contain it as
 * `Path` on Windows. Of the two, Windows passes `PATH` to a child process.
 * @param {...string} folders
 */
function pathWith(...folders) {
  return [...folders, process.env.PATH ?? ""].join(path.delimiter);
}

/**
 * Returns the address of a backend in a folder. Pulumi accepts `file://C:/folder`, but neither `file:///C:/folder` nor
 * `file://C:\\folder`.
 * @param {string} folder
 */
export function backendIn(folder) {
  return `file://${folder.replaceAll(path.sep, "/")}`;
}

/**
 * Returns the environment of Pulumi commands on a stack that uses a simulator, and creates the folder of its backend.
 * @param {string} bin the folder of the Pulumi CLI
 * @param {string} backend the folder for the state
 * @param {string} stack
 * @param {{ url: string, caFile: string, profile: string }} service
 * @returns {NodeJS.ProcessEnv}
 */
export function stackEnvironment(bin, backend, stack, service) {
  fs.mkdirSync(backend, { recursive: true });
  return {
    ...withoutLoopbackProxy(withoutSettings(process.env)),
    // Pulumi's language host and provider use the same Node.js as the tools.
    PATH: pathWith(bin, path.dirname(process.execPath)),
    PULUMI_BACKEND_URL: backendIn(backend),
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    // The checks of this repository compile the programs.
    PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    // `stack select` would also change the stack that is selected for a real service.
    PULUMI_STACK: stack,
    CLOUDDB_BASE_URL: service.url,
    CLOUDDB_CA_FILE: service.caFile,
    CLOUDDB_PUBLIC_KEY: "demo",
    CLOUDDB_PRIVATE_KEY: "demo-secret",
    CLOUDDB_PROFILE: service.profile,
  };
}
