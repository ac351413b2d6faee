/**
 * The provider's settings: from the stack's configuration (`clouddb:baseUrl`), else from the
 * environment (`CLOUDDB_BASE_URL`). A wrong or missing one is named together with all others.
 */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import * as z from "../zod";
import { proxyVariables } from "../api/transport";
import type { ClientSettings } from "../api/client";
import type { Credentials } from "../api/authentication";
import { ProviderError } from "./errors";
import {
  type SettingKey,
  credentialPairs,
  environmentVariable,
  isSecret,
  settingKeys,
} from "./settingNames";

const path = z
  .string()
  .check(z.regex(/^\/[\w./-]*\w$/, "must be a path that starts with / and does not end with one"));

const httpsUrl = z
  .url({
    error: "is not a URL; give the service's origin, such as https://api.example.com",
    abort: true,
  })
  .check(
    z.refine(
      (url) => url.startsWith("https://"),
      "must start with https://: the service is reached over TLS only",
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
      "must not hold credentials; set publicKey and privateKey",
    ),
    z.refine(
      ({ pathname, search }) => pathname === "/" && search === "",
      "must be an origin without a path; the path is apiPath",
    ),
  );

/** What is read from a file often brings the end of its line along. */
const credential = z
  .string()
  .check(z.regex(/^\S(?:.*\S)?$/, "begins or ends with a space, or holds a line break"));

const prefix = z.string().check(z.regex(/^\w+$/, "must be letters, digits or _"));

const mediaType = z
  .string()
  .check(z.regex(/^[\w.+-]+\/[\w.+-]+$/, "must be a media type, such as application/json"));

const requests = z.coerce
  .number({ error: "must be a number of requests" })
  .check(z.int("must be a whole number"), z.minimum(1, "must be at least 1"));

const seconds = z.coerce
  .number({ error: "must be a number of seconds" })
  .check(z.positive("must be more than 0"), z.maximum(3600, "must be at most 3600"));

/** Messages never repeat a value: it may be a secret in the wrong place. */
const schema = z.object({
  baseUrl: z.optional(origin),
  publicKey: z.optional(credential),
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
});

/** How a setting is looked up in the stack's configuration. */
export type Configuration = (key: `clouddb:${SettingKey}`) => string | undefined;

/** Reads and checks all settings. Throws {@link ProviderError} with every problem, each with its remedy. */
export function readSettings(
  configuration: Configuration,
  environment: NodeJS.ProcessEnv,
): Omit<ClientSettings, "userAgent"> {
  const given = Object.fromEntries(
    settingKeys.flatMap((key) => {
      // An empty value is no value: that is how a shell or a CI system leaves a variable unset.
      const value =
        configuration(`clouddb:${key}`) ||
        (isReplaced(key, configuration) ? undefined : environment[environmentVariable(key)]);
      return value ? [[key, value]] : [];
    }),
  );
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(
      ({ path: [key], message }) => `${named(String(key))} ${message}`,
    );
    throw wrongSettings(wrong);
  }
  const { baseUrl, caFile, ...rest } = parsed.data;
  const credentials = credentialsOf(parsed.data);
  if (baseUrl === undefined || credentials.kind === "wrong") {
    const url = baseUrl === undefined ? [notSet("baseUrl", "https://...")] : [];
    throw wrongSettings([...url, ...(credentials.kind === "wrong" ? credentials.problems : [])]);
  }
  refuseWrongProxy(environment);
  return { ...rest, baseUrl, credentials, extraCertificates: readCertificates(caFile) };
}

/** The proxy's address may hold a password: it is never repeated. */
function refuseWrongProxy(environment: NodeJS.ProcessEnv): void {
  const wrong = proxyVariables.filter((name) => {
    const address = environment[name];
    return address && !/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : "");
  });
  if (wrong.length > 0) {
    throw new ProviderError(
      `the environment variable ${wrong.join(", ")} is not the URL of a proxy, which is http://<host>:<port>`,
    );
  }
}

/** Exactly one whole pair, or what is wrong. */
function credentialsOf(
  settings: z.output<typeof schema>,
): Credentials | { readonly kind: "wrong"; readonly problems: string[] } {
  const { publicKey, privateKey, clientId, clientSecret, tokenPath } = settings;
  const begun = credentialPairs.filter((pair) => pair.some((key) => settings[key] !== undefined));
  if (begun.length > 1) {
    const both = begun.map((pair) => pair.join(" and ")).join(", or ");
    return {
      kind: "wrong",
      problems: [`credentials are given twice; keep ${both}, not both pairs`],
    };
  }
  if (publicKey !== undefined && privateKey !== undefined) {
    return { kind: "apiKey", publicKey, privateKey };
  }
  if (clientId !== undefined && clientSecret !== undefined) {
    return { kind: "serviceAccount", clientId, clientSecret, tokenPath };
  }
  const wanted = begun[0] ?? credentialPairs[0];
  const absent = wanted.filter((key) => settings[key] === undefined);
  return { kind: "wrong", problems: absent.map((key) => notSet(key, "...")) };
}

/** True for the environment's credentials where the configuration has the other pair. */
function isReplaced(key: SettingKey, configuration: Configuration): boolean {
  const configured = credentialPairs.filter((pair) =>
    pair.some((k) => configuration(`clouddb:${k}`)),
  );
  const isIn = (pair: readonly SettingKey[]) => pair.includes(key);
  return configured.length > 0 && credentialPairs.some(isIn) && !configured.some(isIn);
}

function notSet(key: SettingKey, value: string): string {
  // What nobody else may see is asked for by Pulumi, so that it is not in the shell's history.
  const command = isSecret(key) ? `--secret clouddb:${key}` : `clouddb:${key} ${value}`;
  return `${named(key)} is not set: pulumi config set ${command}, or export ${environmentVariable(key)}`;
}

function wrongSettings(problems: string[]): ProviderError {
  return new ProviderError(
    problems.length === 1
      ? `a setting needs attention: ${String(problems[0])}`
      : `${problems.length} settings need attention:\n${problems.map((p) => `  ${p}`).join("\n")}`,
  );
}

function readCertificates(caFile: string | undefined): string | undefined {
  if (caFile === undefined) return undefined;
  const pem = readText(caFile);
  const certificates =
    pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length > 0 && certificates.every(isCertificate)) return pem;
  throw wrongSettings([`${named("caFile")}: ${caFile} holds no PEM certificate that can be read`]);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw wrongSettings([`${named("caFile")}: ${path} cannot be read (${reason})`]);
  }
}

function named(key: string): string {
  return `clouddb:${key} (or ${environmentVariable(key)})`;
}
