/**
 * Settings that are probably misspelled. A stack may keep keys of its own in the `clouddb` namespace,
 * so an unknown name counts only if it is near the name of a setting.
 */
import { escapeText } from "../api/escapeText";
import { nearestName } from "./nearest";
import { environmentVariable, settingKeys } from "./settingNames";

/**
 * Returns a sentence for each probably misspelled setting. Values are never repeated.
 *
 * @param keys the names of everything in the configuration, as `namespace:key`
 * @param environment the environment variables
 * @returns sentences such as `clouddb:baseURL is not a setting; did you mean clouddb:baseUrl?`
 */
export function misspelledSettings(
  keys: readonly string[],
  environment: NodeJS.ProcessEnv,
): string[] {
  return [...misspelledKeys(keys), ...misspelledVariables(environment)];
}

function misspelledKeys(keys: readonly string[]): string[] {
  const right = new Set<string>([...settingKeys.map((key) => `clouddb:${key}`)]);
  return keys.flatMap((key) => {
    const [, namespace = "", name = ""] = /^([^:]+):(.+)$/s.exec(key) ?? [];
    if (right.has(key) || namespace.toLowerCase() !== "clouddb") return [];
    const nearest = nearestName(name, settingKeys);
    if (nearest === undefined) return [];
    return [`${escapeText(key)} is not a setting; did you mean clouddb:${nearest}?`];
  });
}

/** The prefix may be misspelled too: no other program's variable is that near to one of ours. */
function misspelledVariables(environment: NodeJS.ProcessEnv): string[] {
  const right = settingKeys.map(environmentVariable);
  return Object.keys(environment).flatMap((name) => {
    const nearest = right.includes(name) ? undefined : nearestName(name, right);
    // Windows ignores the case of these names: there, the variable is the one that is read.
    if (nearest === undefined || environment[nearest] === environment[name]) return [];
    return [`${escapeText(name)} is not a setting; did you mean ${nearest}?`];
  });
}
