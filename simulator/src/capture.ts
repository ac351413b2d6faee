/**
 * `clouddb-simulator capture`: writes a seed from a project of the real service. It sends only GET requests, and
 * one POST for an access token. Nothing is copied from a response except for what the schemas below admit:
 * numbers, those of versions, days, and words that the simulator or this file knows. All other text is new.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { rootCertificates } from "node:tls";
import { z } from "zod";
import { digestAuthorization } from "./authentication/digest";
import { type ConnectionStrings, connectionStrings } from "./connectionStrings";
import { escapeText } from "./errors";
import { type ListingPath, type SeedCluster, clusterSchema, providerSchema } from "./seed/cluster";
import { type Seed, parseSeed } from "./seed/seed";
import { settingsSchema } from "./seed/settings";
import { type Problem, dateSchema, invalid, parse, validate } from "./seed/validation";
import { OffsetClock } from "./store/clock";
import { sha256 } from "./store/cluster";
import { Store } from "./store/store";

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

/** The paths of a project that list clusters; one that ends with `?` may be missing. */
function clusterPathsIn(text: string) {
  return text.split(",").map((path) => ({
    path: path.trim().replace(/\?$/, ""),
    isOptional: path.trim().endsWith("?"),
  }));
}

const clusterPathsSchema = z.array(
  z.object({ path: clusterSchema.shape.listedAt.unwrap(), isOptional: z.boolean() }),
);

const optionsSchema = z.object({
  project: z.string().min(1),
  "base-url": z
    .string()
    .regex(
      /^https:\/\/[\w.-]+(?::\d+)?\/?$/,
      "must be an address such as https://cloud.example.com",
    )
    .transform((url) => url.replace(/\/$/, "")),
  "ca-file": z.string().optional(),
  "api-path": settingsSchema.shape.apiPath,
  "token-path": settingsSchema.shape.tokenPath,
  "field-prefix": settingsSchema.shape.fieldPrefix,
  "media-type": z.string().default("application/json"),
  "cluster-paths": z
    .string()
    .default("clusters")
    .transform(clusterPathsIn)
    .pipe(clusterPathsSchema),
  providers: z.string().default(""),
});

/** How to reach the service, and what to read. */
type CaptureOptions = ReturnType<typeof captureOptions>;

type Credentials =
  | { readonly kind: "apiKey" | "serviceAccount"; readonly user: string; readonly secret: string }
  | { readonly kind: "accessToken"; readonly secret: string };

/** Reads the options from the arguments and the environment. */
export function captureOptions(
  values: Partial<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
) {
  const given = Object.keys(captureFlags).map((flag): [string, string | undefined] => {
    const variable = `CLOUDDB_${flag.toUpperCase().replaceAll("-", "_")}`;
    return [flag, values[flag] ?? (flag === "project" ? undefined : environment[variable])];
  });
  const options = parse(optionsSchema, Object.fromEntries(given), "The command");
  const caFile = options["ca-file"];
  return {
    project: options.project,
    baseUrl: options["base-url"],
    ca: caFile === undefined ? undefined : [...rootCertificates, readFileSync(caFile, "utf8")],
    apiPath: options["api-path"],
    tokenPath: options["token-path"],
    fieldPrefix: options["field-prefix"],
    mediaType: options["media-type"],
    clusterPaths: options["cluster-paths"],
    /** The simulator's provider by the name of the provider at the service. */
    providers: new Map(
      options.providers.split(",").map((pair): [string, string] => {
        const [name = "", provider = ""] = pair.split("=");
        return [name, provider];
      }),
    ),
    credentials: credentialsFrom(environment),
  };
}

/** Returns the only credentials in the environment. */
function credentialsFrom(environment: NodeJS.ProcessEnv): Credentials {
  const {
    CLOUDDB_ACCESS_TOKEN: token,
    CLOUDDB_CLIENT_ID: clientId,
    CLOUDDB_CLIENT_SECRET: clientSecret,
    CLOUDDB_PUBLIC_KEY: publicKey,
    CLOUDDB_PRIVATE_KEY: privateKey,
  } = environment;
  if (token) return { kind: "accessToken", secret: token };
  if (clientId && clientSecret) {
    return { kind: "serviceAccount", user: clientId, secret: clientSecret };
  }
  if (publicKey && privateKey) return { kind: "apiKey", user: publicKey, secret: privateKey };
  throw new Error(
    "There are no credentials. Set CLOUDDB_CLIENT_ID and CLOUDDB_CLIENT_SECRET, CLOUDDB_PUBLIC_KEY and " +
      "CLOUDDB_PRIVATE_KEY, or CLOUDDB_ACCESS_TOKEN.",
  );
}

/** Reads a project; returns its seed, and warnings about what the seed lacks. */
export async function capture(
  options: CaptureOptions,
): Promise<{ readonly seed: Seed; readonly warnings: string[] }> {
  const texts: string[] = [];
  const get = await openService(options, texts);
  const path = `/groups/${encodeURIComponent(options.project)}`;
  const project = await get(path);
  const records: Listed[] = [];
  for (const { path: listedAt, isOptional } of options.clusterPaths) {
    const list = await readList(get, `${path}/${listedAt}`, isOptional);
    for (const record of list) records.push({ listedAt, record });
  }
  const mode = await get(`${path}/privateIpMode`, [404, 405]);
  const { created } = parse(projectSchema, project, "The project");
  const enabled =
    mode === undefined ? undefined : parse(modeSchema, mode, "Private IP mode").enabled;
  // Words that occur nowhere in the source: no new name is a name of the source by accident.
  const source = [JSON.stringify(options), ...texts.map(withoutEscapes)].join().toLowerCase();
  const word = unused(source, (at) => `captured${at === 0 ? "" : at}`);
  const id = unused(source, (at) => sha256("captured project", String(at)).slice(0, 24));
  const renamed = new Map<string, string>();
  const schema = clusterRecordSchema(options.providers, regionSchemaFor(renamed, word));
  const captured = captureClusters(records, schema, options.fieldPrefix, word);
  const seed: Seed = {
    organizations: [
      {
        name: word,
        apiKeys: [
          {
            publicKey: word,
            privateKey: `${word}-secret`,
            roles: [{ projectId: id, role: "owner" }],
          },
        ],
      },
    ],
    projects: [
      {
        id,
        name: word,
        organization: word,
        ...(created === undefined ? {} : { createdAt: created }),
        privateIpMode: { enabled: enabled ?? false },
        clusters: captured.map(({ cluster }) => cluster),
      },
    ],
  };
  checkStrings(seed, captured);
  const leftOut = [...new Set(captured.flatMap((each) => each.leftOut))].sort().map(escapeText);
  return {
    seed,
    warnings: [
      ...(enabled === undefined
        ? ["The service does not return private IP mode; the seed has it off."]
        : []),
      ...(leftOut.length === 0
        ? []
        : [`The seed lacks fields of the clusters: ${leftOut.join(", ")}.`]),
      ...(renamed.size === 0
        ? []
        : [
            `The seed has new names for regions that are not known: ${[...renamed.values()].join(", ")}.`,
          ]),
    ],
  };
}

/** A record, and the path that listed it. */
interface Listed {
  readonly listedAt: ListingPath;
  readonly record: unknown;
}

/** Converts all clusters. An error names everything that the seed format does not know. */
function captureClusters(
  records: Listed[],
  schema: ClusterRecordSchema,
  fieldPrefix: string,
  word: string,
): Captured[] {
  const captured: Captured[] = [];
  const problems: Problem[] = [];
  records.forEach((listed, at) => {
    const result = captureCluster(listed, schema, fieldPrefix, `${word}-${at + 1}`);
    if ("cluster" in result) captured.push(result);
    else for (const each of result.problems) problems.push({ ...each, path: [at, ...each.path] });
  });
  const names = new Set<string>();
  captured.forEach(({ sourceName }, at) => {
    if (names.has(sourceName)) problems.push({ path: [at, "name"], text: "exists twice" });
    names.add(sourceName);
  });
  if (problems.length > 0) throw invalid("The list of clusters", problems);
  return captured;
}

/** Decodes the escaped characters in a JSON text, which may be nested too deeply to be written again. */
function withoutEscapes(json: string): string {
  return json.replace(/\\u([\da-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Returns the first candidate that does not occur in a text. */
function unused(text: string, candidate: (at: number) => string): string {
  for (let at = 0; ; at += 1) if (!text.includes(candidate(at))) return candidate(at);
}

/** A date without its time. */
const day = dateSchema.transform((date) => date.slice(0, 10));
const projectSchema = z.looseObject({ created: day.optional() });
const modeSchema = z.looseObject({ enabled: z.boolean() });
const { shape } = clusterSchema;
const uri = z.string().max(64 * 1024);
const fieldsSchema = z.record(z.string(), z.unknown());

/** The words in the regions of public clouds, such as `us-east-1`, `westeurope` and `EASTERN_US`. */
const regionWords =
  "af|africa|america|ap|arizona|asia|australia|austria|belgium|brazil|ca|canada|central|chile|china|cn|denmark|dod|east|" +
  "eastern|eu|europe|france|germany|gov|il|india|indonesia|israel|italy|japan|jio|korea|malaysia|me|mexico|middle|mx|new|" +
  "north|norway|pacific|poland|qatar|sa|south|spain|sweden|switzerland|taiwan|texas|uae|uk|us|virginia|west|western|zealand";
const knownRegion = new RegExp(
  `^(?=.{1,30}$)(?:${regionWords})(?:-?(?:${regionWords}))*(?:-?\\d{1,2})?$`,
);

/** Returns the schema of a region. A region that is not known is replaced; `renamed` has the new names. */
function regionSchemaFor(renamed: Map<string, string>, word: string) {
  return z.string().transform((text) => {
    const region = text.toLowerCase().replaceAll("_", "-");
    if (knownRegion.test(region)) return region;
    const name = renamed.get(region) ?? `${word}-region-${renamed.size + 1}`;
    renamed.set(region, name);
    return name;
  });
}
type RegionSchema = ReturnType<typeof regionSchemaFor>;

/**
 * Returns the schema of the connection strings of a cluster, which are compared but never copied. Other kinds are
 * rejected.
 */
function stringsSchemaFor(region: RegionSchema) {
  return z.strictObject({
    standard: uri.optional(),
    standardSrv: uri.optional(),
    private: uri.optional(),
    privateSrv: uri.optional(),
    legacy: uri.optional(),
    legacySrv: uri.optional(),
    privateEndpoint: z
      .array(
        z.strictObject({
          connectionString: uri,
          srvConnectionString: uri,
          srvShardOptimizedConnectionString: uri.optional(),
          shownByDefault: z.string().optional(),
          type: z.string().optional(),
          endpoints: z.array(z.looseObject({ region })).length(1),
        }),
      )
      .optional(),
  });
}
type Strings = z.output<ReturnType<typeof stringsSchemaFor>>;

/** Fields that the seed never contains, and that need no warning. */
const identifiers = ["id", "groupId", "links", "replicaSetNames"];

/** Returns the schema of a cluster with its two versions as `version` and `majorVersion`. */
function clusterRecordSchema(providers: CaptureOptions["providers"], region: RegionSchema) {
  const provider = z
    .string()
    .transform((name) => providers.get(name) ?? name)
    .pipe(providerSchema);
  const endpoints = z.array(z.looseObject({ region }));
  const majorVersion = z
    .string()
    .regex(/^\d{1,4}\.\d{1,4}$/, "must be of the form <major>.<minor>");
  return z.looseObject({
    name: z.string(),
    // Only whether it is a pre-release is copied.
    version: shape.version
      .unwrap()
      .transform((text) => text.replace(/-.*/, "-rc0"))
      .optional(),
    majorVersion: majorVersion.optional(),
    clusterType: shape.type.unwrap().optional(),
    tier: shape.tier.unwrap().optional(),
    providerSettings: z
      .looseObject({
        providerName: provider.optional(),
        regionName: region.optional(),
        regionNames: z.array(region).optional(),
      })
      .default({}),
    additionalRegions: z
      .array(shape.additionalRegions.unwrap().element.extend({ provider, region }))
      .default([]),
    createDate: day.optional(),
    networkPeering: z.boolean().optional(),
    privateEndpoints: endpoints.default([]),
    regionalizedPrivateEndpoints: z.boolean().optional(),
    numShards: shape.shards.unwrap().optional(),
    diskSizeGB: z.number().transform(Math.round).pipe(shape.diskSizeGB.unwrap()).optional(),
    paused: z.boolean().optional(),
    stateName: shape.state.unwrap().optional(),
    connectionStrings: stringsSchemaFor(region).default({}),
  });
}
type ClusterRecordSchema = ReturnType<typeof clusterRecordSchema>;

/** What became of a cluster of the source. */
interface Captured {
  /** Its name at the source. */
  readonly sourceName: string;
  readonly cluster: SeedCluster;
  /** Its strings at the source. */
  readonly strings: Strings;
  /** Names of the fields that the seed lacks. */
  readonly leftOut: string[];
}

/** Converts the record of a cluster to the seed, under a new name. */
function captureCluster(
  { listedAt, record }: Listed,
  schema: ClusterRecordSchema,
  fieldPrefix: string,
  name: string,
) {
  const fields = fieldsSchema.safeParse(record);
  const {
    [`${fieldPrefix}Version`]: version,
    [`${fieldPrefix}MajorVersion`]: majorVersion,
    ...rest
  } = fields.data ?? {};
  const result = validate(schema, fields.success ? { ...rest, version, majorVersion } : record);
  if ("problems" in result) return result;
  const { data } = result;
  const { regionName, regionNames, providerName } = data.providerSettings;
  const strings = data.connectionStrings;
  const entries = strings.privateEndpoint ?? [];
  const [entry] = entries;
  const regions = entry ? entries.flatMap(({ endpoints }) => endpoints) : data.privateEndpoints;
  const peering = strings.private !== undefined || strings.privateSrv !== undefined;
  const hasStandard = strings.standard !== undefined || strings.standardSrv !== undefined;
  const hasLegacy = strings.legacy !== undefined || strings.legacySrv !== undefined;
  const cluster: SeedCluster = {
    name,
    listedAt,
    type: data.clusterType,
    tier: data.tier,
    version: data.version ?? (data.majorVersion && `${data.majorVersion}.0`),
    reported: reportedVersions(data.version, data.majorVersion),
    provider: providerName,
    regions: regionNames ?? (regionName === undefined ? undefined : [regionName]),
    additionalRegions: data.additionalRegions,
    createdAt: data.createDate,
    peering: peering || (data.networkPeering ?? false),
    privateEndpoints: regions.map((each, at) => ({
      endpointId: `${name}-${at + 1}`,
      region: each.region,
    })),
    regionalizedPrivateEndpoints:
      data.regionalizedPrivateEndpoints ??
      (entry && !/^[^/]*\/\/pl-\d/.test(entry.srvConnectionString)),
    legacyConnectionStrings: hasStandard ? hasLegacy : undefined,
    shards: data.clusterType === "REPLICASET" ? undefined : data.numShards,
    nodes:
      strings.standard === undefined
        ? undefined
        : strings.standard.split(",").length - data.additionalRegions.length,
    diskSizeGB: data.diskSizeGB,
    paused: data.paused,
    state: data.stateName,
    pendingStrings: [
      ...(hasStandard ? [] : ["standard" as const]),
      ...(data.networkPeering && !peering ? ["private" as const] : []),
      ...(regions.length > 0 && !entry ? ["privateEndpoint" as const] : []),
    ],
  };
  const leftOut = Object.keys(data).filter(
    (key) => !Object.hasOwn(schema.shape, key) && !identifiers.includes(key),
  );
  return { cluster, strings, leftOut, sourceName: data.name };
}

/** Returns what the simulator must report instead of the versions that it would report. */
function reportedVersions(version: string | undefined, majorVersion: string | undefined) {
  const isUsual = majorVersion === version?.split(".").slice(0, 2).join(".");
  if (version !== undefined && isUsual) return undefined;
  return {
    ...(version === undefined ? { version: null } : {}),
    majorVersion: majorVersion ?? null,
  };
}

/** Throws unless the simulator generates the same kinds of strings from the seed as the source has. */
function checkStrings(seed: Seed, captured: readonly Captured[]): void {
  const [project] = new Store(parseSeed(seed), new OffsetClock()).projects();
  const naming = { scheme: "db", domain: "clusters.example" };
  const problems = captured.flatMap(({ sourceName, strings }, at): Problem[] => {
    const cluster = project?.clusters[at];
    const generated = cluster ? connectionStrings(cluster, project.label, naming) : {};
    const [actual, expected] = [kindsIn(generated), kindsIn(strings)];
    return actual === expected
      ? []
      : [{ path: [at], text: `"${sourceName}" has ${expected}; the simulator: ${actual}` }];
  });
  if (problems.length > 0) throw invalid("The connection strings of the source", problems);
}

/** Lists the kinds of strings, with the number of hosts in the standard string. */
function kindsIn({
  privateEndpoint = [],
  standard,
  ...strings
}: Strings | ConnectionStrings): string {
  const hosts = standard === undefined ? [] : [`standard (${standard.split(",").length} hosts)`];
  const kinds = Object.keys(strings).sort();
  const ofEndpoint = (entry: object) => Object.keys(entry).filter((key) => /string$/i.test(key));
  const endpoints = privateEndpoint.map((entry) => ofEndpoint(entry).sort().join(" + "));
  return [...hosts, ...kinds, ...endpoints].join(", ");
}

const nameSchema = z.object({ name: z.string() });
const listSchema = z.looseObject({
  results: z.array(z.unknown()),
  totalCount: z.int().min(0).optional(),
});

/** Reads all pages of a list. Throws if it is not shown to be complete. An optional list that is missing is empty. */
async function readList(get: Get, path: string, isOptional: boolean): Promise<unknown[]> {
  const items: unknown[] = [];
  let last = "";
  for (let page = 1; page <= 1000; page += 1) {
    const query = `pageNum=${page}&itemsPerPage=500&includeCount=true`;
    const body = await get(`${path}?${query}`, isOptional && page === 1 ? [404, 405] : []);
    if (body === undefined) return items;
    const { results, totalCount } = parse(listSchema, body, "The list of clusters");
    const names = JSON.stringify(results.map((each) => nameSchema.safeParse(each).data));
    for (const item of results) items.push(item);
    if (items.length === totalCount || (results.length === 0 && totalCount === undefined)) {
      return items;
    }
    if (results.length === 0 || names === last) break;
    last = names;
  }
  throw new Error(
    "The list of clusters is not complete, or it changed while it was read. Try again.",
  );
}

/** Sends a GET to a path below the API path; resolves to its JSON, or undefined for an accepted status. */
type Get = (path: string, accepted?: readonly number[]) => Promise<unknown>;

/** Returns a function that reads from the service, and adds the text of each response to a list. */
async function openService(options: CaptureOptions, texts: string[]): Promise<Get> {
  const { apiPath, mediaType, credentials } = options;
  const accept = { accept: mediaType };
  const token = credentials.kind === "apiKey" ? undefined : await accessToken(options, credentials);
  return async (path, accepted = []) => {
    const target = `${apiPath}${path}`;
    const bearer = token === undefined ? undefined : `Bearer ${token}`;
    let response = await send(options, "GET", target, { ...accept, authorization: bearer });
    if (response.status === 401 && credentials.kind === "apiKey") {
      const { user, secret } = credentials;
      const pair = [user, secret] as const;
      const authorization = digestAuthorization(response.challenges, pair, "GET", target);
      response = await send(options, "GET", target, { ...accept, authorization });
    }
    texts.push(response.text);
    return accepted.includes(response.status) ? undefined : jsonOf(response, `GET ${target}`);
  };
}

async function accessToken(options: CaptureOptions, credentials: Credentials): Promise<string> {
  if (credentials.kind === "accessToken") return credentials.secret;
  const { user, secret } = credentials;
  const headers = {
    accept: "application/json",
    authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`,
    "content-type": "application/x-www-form-urlencoded",
  };
  const { tokenPath } = options;
  const response = await send(options, "POST", tokenPath, headers, "grant_type=client_credentials");
  const body = jsonOf(response, `POST ${tokenPath}`);
  return parse(z.looseObject({ access_token: z.string() }), body, "The token").access_token;
}

interface Response {
  readonly status: number;
  readonly challenges: readonly string[];
  readonly text: string;
}

function jsonOf({ status, text }: Response, what: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    if (status === 200)
      throw new Error(`${escapeText(what)} returned no JSON. Check the base URL.`);
  }
  if (status === 200) return body;
  const detail = z.looseObject({ errorCode: z.string() }).safeParse(body).data?.errorCode;
  throw new Error(
    `${escapeText(what)} failed with status ${status}${detail === undefined ? "" : ` ${escapeText(detail)}`}. ` +
      "Check the project, the credentials and their access list, and the paths.",
  );
}

/** The largest response, in characters. */
const maxResponse = 64 * 1024 * 1024;

/** Sends one request over HTTPS, without following redirects. */
function send(
  { baseUrl, ca }: CaptureOptions,
  method: "GET" | "POST",
  target: string,
  headers: Readonly<Record<string, string | undefined>>,
  body?: string,
): Promise<Response> {
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      reject(new Error(`${method} ${escapeText(baseUrl + target)} failed: ${error.message}`));
    };
    const onResponse = (incoming: IncomingMessage) => {
      let text = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > maxResponse) incoming.destroy(new Error("the response is too large"));
      });
      incoming.on("error", fail);
      incoming.on("end", () => {
        const challenges = incoming.headersDistinct["www-authenticate"] ?? [];
        resolve({ status: incoming.statusCode ?? 0, challenges, text });
      });
    };
    const outgoing = request(
      new URL(baseUrl + target),
      { method, headers: Object.fromEntries(sent), ca, timeout: 30_000 },
      onResponse,
    );
    outgoing.on("timeout", () => outgoing.destroy(new Error("no response in 30 seconds")));
    outgoing.on("error", fail);
    outgoing.end(body);
  });
}
