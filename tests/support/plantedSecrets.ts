/** Secrets that are easy to find, and a seed that contains them. */
import type { Seed } from "../../simulator/src";
import { projectId, quickstartSeed } from "./service";

/** Secrets with quotes, percent signs, spaces and non-ASCII characters, and a short one. */
export const secrets = {
  privateKey: 'pk"7f%41 \u00fc\u4e16-key',
  clientSecret: "cs'9b%2F \u{1f511}<secret>&",
  password: 'pw"3e%40/:?#\\\u00e9 word',
  shortPassword: "q7#Z",
};
export const publicKey = "planted";
export const clientId = "svc_planted";

/** Returns a secret in every encoding in which it could be written, except for the escapes of JSON. */
function formsOf(secret: string): Record<string, string> {
  const bytes = Buffer.from(secret);
  return {
    plain: secret.replaceAll("\\", ""),
    percent: encodeURIComponent(secret),
    form: new URLSearchParams({ secret }).toString().slice("secret=".length),
    Base64: bytes.toString("base64"),
    "Base64 of the pair": Buffer.from(`${clientId}:${secret}`).toString("base64"),
    hexadecimal: bytes.toString("hex"),
  };
}

/** Returns the names and encodings of the secrets that the text contains, even in JSON or in JSON in JSON. */
export function leaksIn(text: string): string[] {
  const searched = text
    .replace(/\\+u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replaceAll("\\", "");
  return Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(formsOf(secret))
      .filter(([, form]) => searched.includes(form.replace(/=+$/, "")))
      .map(([kind]) => `${name} as ${kind}`),
  );
}

/** Returns the quickstart's seed with the planted credentials. */
export function plantedSeed(): Seed {
  const seed = quickstartSeed();
  const roles = [{ projectId, role: "owner" as const }];
  for (const organization of seed.organizations ?? []) {
    const key = { publicKey, privateKey: secrets.privateKey, roles };
    organization.apiKeys = [...(organization.apiKeys ?? []), key];
    organization.serviceAccounts = [{ clientId, clientSecret: secrets.clientSecret, roles }];
  }
  return seed;
}
