/**
 * Reads a project of the real service for `clouddb-simulator capture`: the options of the command, and its requests,
 * which are GETs, and one POST for an access token.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { rootCertificates } from "node:tls";
import { z } from "zod";
import { digestAuthorization } from "./authentication/digest";
import { escapeText, messageOf } from "./errors";
import { clusterSchema } from "./seed/cluster";
import { settingsSchema } from "./seed/settings";
import { parse } from "./seed/validation";

/** The options of the command. Their defaults are the variables of pulumi-clouddb, such as CLOUDDB_BASE_URL. */
export const captureFlags = {
  project: ["", "<id>", "ID of the project; required"],
  "base-url": ["", "<url>", "address of the service (default: CLOUDDB_BASE_URL)"],
  "ca-file": ["", "<file>", "certificates to trust (default: CLOUDDB_CA_FILE)"],
  "api-path": ["", "<path>", "path of the API (default: CLOUDDB_API_PATH)"],
  "token-path": ["", "<path>", "path of the token endpoint (default: CLOUDDB_TOKEN_PATH)"],
  "field-prefix": ["", "<prefix>", "prefix of the version fields (default: CLOUDDB_FIELD_PREFIX)"],
  "media-type": ["", "<type>", "Accept header (default: CLOUDDB_MEDIA_TYPE)"],
  "cluster-paths": [
    "",
    "<paths>",
    "paths of the clusters, such as clusters,flexClusters? (default: CLOUDDB_CLUSTER_PATHS)",
  ],
  providers: ["", "<name=A,...>", "the simulator's provider for each provider of the service"],
} as const;

const optionsSchema = z.object({
  project: z.string().min(1),
  "base-url": z
    .string()
    .regex(
      /^https:\/\/[\w.-]+(?::\d+)?\/?$/,
      "must be an address such as https://cloud.example.com",
    )
    .transform((url) => url.replace(/\/$/, "")),
  "ca-file": z
    .string()
    .transform((file, context) => {
      try {
        return [...rootCertificates, readFileSync(file, "utf8")];
      } catch (error) {
        context.addIssue(`cannot be read: ${messageOf(error)}`);
        return z.NEVER;
      }
    })
    .optional(),
  "api-path": settingsSchema.shape.apiPath,
  "token-path": settingsSchema.shape.tokenPath,
  "field-prefix": settingsSchema.shape.fieldPrefix,
  "media-type": z.string().default("application/json"),
  /** A path that ends with `?` may be missing. */
  "cluster-paths": z
    .string()
    .prefault("clusters")
    .transform((text) =>
      text.split(",").map((each) => /^\s*(?<path>.*?)(?<optional>\??)\s*$/.exec(each)?.groups),
    )
    .pipe(z.array(z.object({ path: clusterSchema.shape.listedAt.unwrap(), optional: z.string() }))),
  /** The simulator's provider by the name of the provider at the service. */
  providers: z
    .string()
    .prefault("")
    .transform((text) => {
      const pairs = text.split(",").map((pair) => pair.split("="));
      return new Map(pairs.map(([name = "", provider = ""]) => [name, provider]));
    }),
});

/** How to reach the service, and what to read. */
export type CaptureOptions = ReturnType<typeof captureOptions>;

export function captureOptions(
  values: Partial<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
) {
  const given = Object.keys(captureFlags).map((flag): [string, string | undefined] => {
    const variable = `CLOUDDB_${flag.toUpperCase().replaceAll("-", "_")}`;
    return [flag, values[flag] ?? (flag === "project" ? undefined : environment[variable])];
  });
  const options = parse(optionsSchema, Object.fromEntries(given), "The command");
  return { ...options, credentials: credentialsFrom(environment) };
}

/** Returns the only credentials in the environment. */
function credentialsFrom(environment: NodeJS.ProcessEnv) {
  const { CLOUDDB_ACCESS_TOKEN: token, ...others } = environment;
  if (token) return { kind: "accessToken" as const, user: "", secret: token };
  const kinds = [
    ["serviceAccount", others.CLOUDDB_CLIENT_ID, others.CLOUDDB_CLIENT_SECRET],
    ["apiKey", others.CLOUDDB_PUBLIC_KEY, others.CLOUDDB_PRIVATE_KEY],
  ] as const;
  for (const [kind, user, secret] of kinds) if (user && secret) return { kind, user, secret };
  throw new Error(
    "There are no credentials. Set CLOUDDB_CLIENT_ID and CLOUDDB_CLIENT_SECRET, CLOUDDB_PUBLIC_KEY and " +
      "CLOUDDB_PRIVATE_KEY, or CLOUDDB_ACCESS_TOKEN.",
  );
}

const listSchema = z.looseObject({
  results: z.array(z.unknown()),
  totalCount: z.int().min(0).optional(),
});

/** Reads all pages of a list. Throws if it is not shown to be complete. An optional list that is missing is empty. */
export async function readList(get: Get, path: string, isOptional: boolean): Promise<unknown[]> {
  let items: unknown[] = [];
  for (let page = 1; page <= 200; page += 1) {
    const query = `pageNum=${page}&itemsPerPage=500&includeCount=true`;
    const body = await get(`${path}?${query}`, isOptional && page === 1 ? [404, 405] : []);
    if (body === undefined) return items;
    const { results, totalCount } = parse(listSchema, body, "The list of clusters");
    items = items.concat(results);
    if (items.length === totalCount || (results.length === 0 && totalCount === undefined)) {
      return items;
    }
    if (results.length === 0 || items.length > (totalCount ?? Infinity)) break;
  }
  throw new Error(
    "The list of clusters is not complete, or it changed while it was read. Try again.",
  );
}

/** Sends a GET to a path below the API path; resolves to its JSON, or undefined for an accepted status. */
type Get = (path: string, accepted?: readonly number[]) => Promise<unknown>;

/** Returns a function that reads from the service, and adds the text of each response to a list. */
export async function openService(options: CaptureOptions, texts: string[]): Promise<Get> {
  const { kind, user, secret } = options.credentials;
  const accept = options["media-type"];
  const token = kind === "serviceAccount" ? await issueToken(options, `${user}:${secret}`) : secret;
  return async (path, accepted = []) => {
    const target = `${options["api-path"]}${path}`;
    const bearer = kind === "apiKey" ? {} : { authorization: `Bearer ${token}` };
    let response = await send(options, "GET", target, { accept, ...bearer });
    if (response.status === 401 && kind === "apiKey") {
      const { challenges } = response;
      const authorization = digestAuthorization(challenges, [user, secret], "GET", target);
      if (authorization) response = await send(options, "GET", target, { accept, authorization });
    }
    texts.push(response.text);
    return accepted.includes(response.status) ? undefined : jsonOf(response, `GET ${target}`);
  };
}

async function issueToken(options: CaptureOptions, account: string): Promise<string> {
  const headers = {
    accept: "application/json",
    authorization: `Basic ${Buffer.from(account).toString("base64")}`,
    "content-type": "application/x-www-form-urlencoded",
  };
  const tokenPath = options["token-path"];
  const response = await send(options, "POST", tokenPath, headers, "grant_type=client_credentials");
  const body = jsonOf(response, `POST ${tokenPath}`);
  return parse(z.looseObject({ access_token: z.string() }), body, "The token").access_token;
}

/** Returns the JSON of a response; `request` is its method and path. */
function jsonOf(
  { status, text }: { readonly status: number; readonly text: string },
  request: string,
): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
    if (status === 200) return body;
  } catch {
    if (status === 200)
      throw new Error(`${escapeText(request)} returned no JSON. Check the base URL.`);
  }
  const code = z.looseObject({ errorCode: z.string() }).safeParse(body).data?.errorCode ?? "";
  throw new Error(
    `${escapeText(request)} failed with status ${`${status} ${escapeText(code)}`.trim()}. ` +
      "Check the project, the credentials and their access list, and the paths.",
  );
}

/** Sends one request over HTTPS, without following redirects. The largest response has 64 million characters. */
async function send(
  { "base-url": baseUrl, "ca-file": ca }: CaptureOptions,
  method: "GET" | "POST",
  target: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
) {
  const signal = AbortSignal.timeout(30_000);
  const url = new URL(baseUrl + target);
  try {
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      request(url, { method, headers, ca, signal }, resolve).on("error", reject).end(body);
    });
    let text = "";
    for await (const chunk of incoming.setEncoding("utf8")) {
      text += String(chunk);
      if (text.length > 64_000_000) throw new Error("the response is too large");
    }
    const challenges = incoming.headersDistinct["www-authenticate"] ?? [];
    return { status: incoming.statusCode ?? 0, challenges, text };
  } catch (error) {
    const reason = signal.aborted ? "no response in 30 seconds" : messageOf(error);
    throw new Error(`${method} ${escapeText(url.href)} failed: ${reason}`, { cause: error });
  }
}
