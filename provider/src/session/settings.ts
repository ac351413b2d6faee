/**
 * Reads and validates the settings from the stack's configuration or an explicit provider
 * (`clouddb:baseUrl`), or else from the environment (`CLOUDDB_BASE_URL`). One error lists all problems.
 */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import * as z from "../api/zod";
import { proxyVariables } from "../api/transport";
import type { ClientSettings } from "../api/client";
import type { Credentials } from "../api/authentication";
import { escapeText } from "../api/escapeText";
import { defaultRetryPolicy } from "../api/retry";
import { ProviderError } from "./errors";
import { misspelledSettings } from "./misspelledSettings";
import {
  type SettingKey,
  credentialPairs,
  environmentVariable,
  isSettingKey,
  settingKeys,
} from "./settingNames";
import {
  type SettingsOwner,
  type SettingsSource,
  notSet,
  settingName,
  shortSettingName,
} from "./settingsSource";

const path = z
  .string()
  .check(z.regex(/^\/[\w./-]*\w$/, "must be a path that starts with / and does not end with one"));

const httpsUrl = z
  .url({
    error: "is not a URL; set it to the service's origin, such as https://api.example.com",
    abort: true,
  })
  .check(
    z.refine(
      (url) => /^\s*https:\/\//i.test(url),
      "must start with https://: the provider only connects over TLS",
    ),
  );

const origin = z
  .pipe(
    httpsUrl,
    z.transform((url) => new URL(url)),
  )
  .check(
    z.refine(
      ({ username, password }) => username === "" && password === "",
      "must not contain credentials; set publicKey and privateKey instead",
    ),
    z.refine(
      ({ pathname, search, hash }) => pathname === "/" && search === "" && hash === "",
      "must be an origin without a path; set the path with apiPath",
    ),
  );

/** Rejects surrounding white space: values read from a file often end with a line break. */
const credential = z.string().check(
  z.regex(/^\S(?:.*\S)?$/, {
    error: "begins or ends with white space, or contains a line break",
    abort: true,
  }),
);

/** Rejects characters that the header of digest authentication cannot contain. */
const publicKey = credential.check(
  z.regex(/^[ -~]*$/, "contains a character that is not printable ASCII"),
);

const prefix = z.string().check(z.regex(/^\w+$/, "must be letters, digits or _"));

const mediaType = z
  .string()
  .check(z.regex(/^[\w.+-]+\/[\w.+-]+$/, "must be a media type, such as application/json"));

const requests = z.coerce
  .number({ error: "must be a number of requests" })
  .check(z.int("must be a whole number"), z.minimum(1, "must be at least 1"));

/** The timeout of one request cannot exceed that of the call that sends it. */
const maxRequestSeconds = defaultRetryPolicy.callTimeoutSeconds;

const seconds = z.coerce
  .number({ error: "must be a number of seconds" })
  .check(
    z.positive("must be more than 0"),
    z.maximum(maxRequestSeconds, `must be at most ${maxRequestSeconds}`),
  );

/** Messages never include a value, because it may be a misplaced secret. */
const schema = z.object({
  baseUrl: z.optional(origin),
  publicKey: z.optional(publicKey),
  privateKey: z.optional(credential),
  clientId: z.optional(credential),
  clientSecret: z.optional(credential),
  tokenPath: z._default(path, "/api/oauth/token"),
  apiPath: z._default(path, "/api/service/v1.0"),
  fieldPrefix: z._default(prefix, "db"),
  mediaType: z._default(mediaType, "application/json"),
  caFile: z.optional(z.string()),
  requestsPerMinute: z._default(requests, 100),
  requestTimeoutSeconds: z._default(seconds, 30),
} satisfies Readonly<Record<SettingKey, z.ZodMiniType>>);

/** The settings of a client, and warnings. */
export interface CheckedSettings {
  /** The settings, with their defaults. */
  readonly client: Omit<ClientSettings, "userAgent">;
  /** A sentence for each setting that is probably misspelled. */
  readonly warnings: readonly string[];
}

/**
 * Reads and validates all settings.
 *
 * @param source the configuration, which takes precedence over the environment
 * @param environment the environment variables
 * @returns the settings, with their defaults, and warnings
 * @throws {@link ProviderError} with every problem and its remedy, and with the correct names of
 *   settings that are probably misspelled. The message includes no values except for the path of a file.
 */
export function readSettings(
  source: SettingsSource,
  environment: NodeJS.ProcessEnv,
): CheckedSettings {
  const { owner } = source;
  const warnings = misspelledSettings(source.keys(), environment);
  const settingsError = (problems: readonly string[]) => problemsError([...problems, ...warnings]);
  const parsed = schema.safeParse(configuredSettings(source, environment));
  if (!parsed.success) {
    throw settingsError(
      parsed.error.issues.map(({ path: [key], message }) => {
        const name = String(key);
        return `${isSettingKey(name) ? settingName(owner, name) : name} ${message}`;
      }),
    );
  }
  const { baseUrl, caFile, ...rest } = parsed.data;
  const credentials = credentialsOf(parsed.data, owner);
  if (baseUrl === undefined || credentials.kind === "invalid") {
    const url = baseUrl === undefined ? [notSet(owner, "baseUrl", "https://...")] : [];
    throw settingsError([...url, ...(credentials.kind === "invalid" ? credentials.problems : [])]);
  }
  assertValidProxy(environment);
  const certificates = readCertificates(caFile);
  if (certificates.kind === "invalid") {
    throw settingsError([`${settingName(owner, "caFile")}: ${certificates.problem}`]);
  }
  const { pem: extraCertificates } = certificates;
  return { client: { ...rest, baseUrl, credentials, extraCertificates }, warnings };
}

/** Returns the settings that are set, as text. */
function configuredSettings({ get }: SettingsSource, environment: NodeJS.ProcessEnv) {
  return Object.fromEntries(
    settingKeys.flatMap((key) => {
      // An empty value counts as unset: shells and CI systems often leave variables empty.
      const value =
        get(key) || (isReplaced(key, get) ? undefined : environment[environmentVariable(key)]);
      return value ? [[key, value]] : [];
    }),
  );
}

/** Rejects an invalid proxy address. It may contain a password, so the message does not include it. */
function assertValidProxy(environment: NodeJS.ProcessEnv): void {
  const invalid = proxyVariables.filter((name) => {
    const address = environment[name];
    return address && !/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : "");
  });
  if (invalid.length > 0) {
    throw new ProviderError(
      `the environment variable ${invalid.join(", ")} is not a proxy URL, such as http://<host>:<port>`,
    );
  }
}

/** Returns the only pair of credentials, or the problems if it is not complete or not the only one. */
function credentialsOf(
  settings: z.output<typeof schema>,
  owner: SettingsOwner,
): Credentials | { readonly kind: "invalid"; readonly problems: string[] } {
  const { publicKey, privateKey, clientId, clientSecret, tokenPath } = settings;
  const pairsInUse = credentialPairs.filter((pair) =>
    pair.some((key) => settings[key] !== undefined),
  );
  if (pairsInUse.length > 1) {
    const named = (pair: (typeof pairsInUse)[number]) =>
      pair.map((key) => shortSettingName(owner, key)).join(" and ");
    const both = pairsInUse.map(named).join(", or ");
    return {
      kind: "invalid",
      problems: [`two pairs of credentials are set; keep ${both}`],
    };
  }
  if (publicKey !== undefined && privateKey !== undefined) {
    return { kind: "apiKey", publicKey, privateKey };
  }
  if (clientId !== undefined && clientSecret !== undefined) {
    return { kind: "serviceAccount", clientId, clientSecret, tokenPath };
  }
  const expected = pairsInUse[0] ?? credentialPairs[0];
  const missing = expected.filter((key) => settings[key] === undefined);
  return { kind: "invalid", problems: missing.map((key) => notSet(owner, key, "...")) };
}

/** Returns whether the configuration has the other pair, which replaces the pair of the environment. */
function isReplaced(key: SettingKey, get: SettingsSource["get"]): boolean {
  const configured = credentialPairs.filter((pair) => pair.some((k) => get(k)));
  const isIn = (pair: readonly SettingKey[]) => pair.includes(key);
  return configured.length > 0 && credentialPairs.some(isIn) && !configured.some(isIn);
}

function problemsError(problems: readonly string[]): ProviderError {
  return new ProviderError(
    problems.length === 1
      ? `a setting needs attention: ${String(problems[0])}`
      : `${problems.length} settings need attention:\n${problems.map((p) => `  ${p}`).join("\n")}`,
  );
}

type Certificates =
  | { readonly kind: "read"; readonly pem: string | undefined }
  | { readonly kind: "invalid"; readonly problem: string };

function readCertificates(caFile: string | undefined): Certificates {
  if (caFile === undefined) return { kind: "read", pem: undefined };
  const invalid = (what: string) =>
    ({ kind: "invalid", problem: `${escapeText(caFile)} ${what}` }) as const;
  try {
    const pem = readFileSync(caFile, "utf8");
    const certificates =
      pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
    if (certificates.length > 0 && certificates.every(isCertificate)) return { kind: "read", pem };
    return invalid("is not a valid PEM certificate file");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    return invalid(`cannot be read (${reason})`);
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
