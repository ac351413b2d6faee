/**
 * Warns about credentials that are stored in plain text in the stack's configuration. Only a program can
 * detect this: the provider process is configured with decrypted values.
 */
import { programLog } from "./programLog";
import { runState } from "./runState";
import * as pulumi from "./sdk";
import { secretKeys } from "../session/settings";

/**
 * Warns once per run about each secret setting that is not stored as a secret. Called for every
 * resource, provider and function call, so that importing the package alone logs nothing.
 */
export function warnOfPlainSecrets(): void {
  const state = runState("plainSecrets.1", isChecked, () => ({ checked: false }));
  if (state === undefined || state.checked) return;
  state.checked = true;
  const config = new pulumi.Config("clouddb");
  for (const key of secretKeys) {
    const name = `clouddb:${key}`;
    if (!config.get(key) || isStoredAsSecret(name)) continue;
    void programLog(
      "warning",
      `${name} is stored in plain text in the stack's configuration: run pulumi config set --secret ${name}`,
    );
  }
}

/** Uses an undeclared function of the SDK. If it is missing, assumes a secret and does not warn. */
function isStoredAsSecret(name: string): boolean {
  const module: object = pulumi.runtimeConfig;
  if (!("isConfigSecret" in module) || typeof module.isConfigSecret !== "function") return true;
  const isSecret: unknown = Reflect.apply(module.isConfigSecret, undefined, [name]);
  return isSecret !== false;
}

function isChecked(value: unknown): value is { checked: boolean } {
  return (
    typeof value === "object" &&
    value !== null &&
    "checked" in value &&
    typeof value.checked === "boolean"
  );
}
