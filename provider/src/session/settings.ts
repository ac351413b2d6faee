/**
 * Reads and validates the settings from the stack's configuration or an explicit provider
 * (`clouddb:baseUrl`), or else from the environment (`CLOUDDB_BASE_URL`). One error lists all problems.
 */
import * as z from "../api/zod";
import { unsafeCharacters } from "../api/text";
import { proxyVariables } from "../api/proxy";
import type { ClientSettings } from "../api/client";
import type { Credentials } from "../api/authentication";
import { defaultRetryPolicy } from "../api/retry";
import { readCertificates } from "./certificates";
import { ProviderError } from "./errors";
import { misspelledSettings } from "./misspelledSettings";
import {
  type SettingKey,
  credentialPairs,
  environmentVariable,
  isSettingKey,
  serviceAccountPair,
  settingKeys,
} from "./settingNames";
import {
  type SettingsOwner,
  type SettingsSource,
  notSet,
  settingName,
  shortSettingName,
} from "./settingsSource";

/** Rejects what text from a file or the clipboard often has at its end, or inside. */
const text = z.string().check(
  z.regex(/^\S(?:.*\S)?$/s, {
    error: "begins or ends with white space, such as a line break",
    abort: true,
  }),
  z.refine((value) => value.search(unsafeCharacters) === -1, {
    error: "contains a line break, or another control or invisible character",
    abort: true,
  }),
);

/** Dot segments and empty ones would lead to another path, or to another server. */
const path = text.check(
  z.regex(
    /^(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)+$/,
    "must be a path that starts with / and does not end with one, without empty segments, . and ..",
  ),
);

const httpsUrl = text.check(
  z.refine((url) => URL.canParse(url), {
    error: "is not a URL; set it to the service's origin, such as https://api.example.com",
    abort: true,
  }),
  z.regex(/^https:\/\//i, "must start with https://: the provider only connects over TLS"),
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

/** Rejects characters that the header of digest authentication cannot contain. */
const publicKey = text.check(
  z.regex(/^[ -~]*$/, "contains a character that is not printable ASCII"),
);

const prefix = text.check(z.regex(/^\w+$/, "must be letters, digits or _"));

const mediaType = text.check(
  z.regex(/^[\w.+-]+\/[\w.+-]+$/, "must be a media type, such as application/json"),
);

/** Other notations, such as `0x10` and `1e-9`, would be mistakes. */
function decimal(pattern: RegExp, problem: string) {
  return z.pipe(
    text.check(z.regex(pattern, { error: problem, abort: true })),
    z.coerce.number("is too large"),
  );
}

const requests = decimal(/^\d+$/, "must be a whole number, in decimal digits").check(
  z.minimum(1, "must be at least 1"),
);

/** The timeout of one request cannot exceed that of the call that sends it. */
const maxRequestSeconds = defaultRetryPolicy.callTimeoutSeconds;

const seconds = decimal(/^\d+(?:\.\d+)?$/, "must be a number of seconds, in decimal digits").check(
  z.minimum(0.1, "must be at least 0.1"),
  z.maximum(maxRequestSeconds, `must be at most ${maxRequestSeconds}`),
);

/** Messages never include a value, because it may be a misplaced secret. */
const schema = z.object({
  baseUrl: z.optional(origin),
  publicKey: z.optional(publicKey),
  privateKey: z.optional(text),
  clientId: z.optional(text),
  clientSecret: z.optional(text),
  tokenPath: z._default(path, "/api/oauth/token"),
  apiPath: z._default(path, "/api/service/v1.0"),
  fieldPrefix: z._default(prefix, "db"),
  mediaType: z._default(mediaType, "application/json"),
  caFile: z.optional(text),
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
  const configured = configuredSettings(source, environment);
  const parsed = schema.safeParse(configured);
  const isCaFileValid = !(parsed.error?.issues ?? []).some(({ path: [key] }) => key === "caFile");
  const certificates = readCertificates(isCaFileValid ? configured.caFile : undefined);
  const problems = [
    ...(configured.baseUrl === undefined ? [notSet(owner, "baseUrl", "https://...")] : []),
    ...credentialProblems(configured, owner),
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => problemOf(issue, owner))),
    ...proxyProblems(environment),
    ...(certificates.kind === "invalid"
      ? [`${settingName(owner, "caFile")}: ${certificates.problem}`]
      : []),
  ];
  const settings = parsed.success ? clientSettings(parsed.data) : undefined;
  if (settings === undefined || certificates.kind === "invalid" || problems.length > 0) {
    throw problemsError([...problems, ...warnings]);
  }
  return { client: { ...settings, extraCertificates: certificates.pem }, warnings };
}

/** The settings that are set, as text. */
type ConfiguredSettings = Readonly<Partial<Record<SettingKey, string>>>;

function configuredSettings(
  { get }: SettingsSource,
  environment: NodeJS.ProcessEnv,
): ConfiguredSettings {
  return Object.fromEntries(
    settingKeys.flatMap((key) => {
      // An empty value counts as unset: shells and CI systems often leave variables empty.
      const value =
        get(key) || (isReplaced(key, get) ? undefined : environment[environmentVariable(key)]);
      return value ? [[key, value]] : [];
    }),
  );
}

/** Returns the settings with a base URL and one pair of credentials; undefined if either is missing. */
function clientSettings(settings: z.output<typeof schema>) {
  const { baseUrl, caFile, publicKey, privateKey, clientId, clientSecret, tokenPath, ...rest } =
    settings;
  if (baseUrl === undefined) return undefined;
  if (publicKey !== undefined && privateKey !== undefined) {
    const credentials: Credentials = { kind: "apiKey", publicKey, privateKey };
    return { ...rest, baseUrl, credentials };
  }
  if (clientId !== undefined && clientSecret !== undefined) {
    const account = { clientId, clientSecret, tokenPath };
    const credentials: Credentials = { kind: "serviceAccount", ...account };
    return { ...rest, baseUrl, credentials };
  }
  return undefined;
}

function problemOf({ path: [key], message }: z.core.$ZodIssue, owner: SettingsOwner): string {
  const name = String(key);
  return `${isSettingKey(name) ? settingName(owner, name) : name} ${message}`;
}

/** Rejects an invalid proxy address. It may contain a password, so the problem does not include it. */
function proxyProblems(environment: NodeJS.ProcessEnv): string[] {
  const invalid = proxyVariables.filter((name) => {
    const address = environment[name];
    return address && !/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : "");
  });
  return invalid.length === 0
    ? []
    : [
        `the environment variable ${invalid.join(", ")} is not a proxy URL, such as http://<host>:<port>`,
      ];
}

/** Returns the problems if the settings have several pairs of credentials, or no complete one. */
function credentialProblems(settings: ConfiguredSettings, owner: SettingsOwner): string[] {
  const pairsInUse = credentialPairs.filter((pair) =>
    pair.some((key) => settings[key] !== undefined),
  );
  if (pairsInUse.length > 1) {
    const named = (pair: (typeof pairsInUse)[number]) =>
      pair.map((key) => shortSettingName(owner, key)).join(" and ");
    return [`two pairs of credentials are set; keep ${pairsInUse.map(named).join(", or ")}`];
  }
  const expected = pairsInUse[0] ?? serviceAccountPair;
  const missing = expected.filter((key) => settings[key] === undefined);
  return missing.map((key) => notSet(owner, key, "..."));
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
