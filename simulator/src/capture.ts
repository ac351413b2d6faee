/**
 * `clouddb-simulator capture`: writes a seed from a project of the real service. Nothing is copied from a response
 * except for what the schemas below admit: numbers, those of versions, days, and words that the simulator or this
 * file knows. All other text is new.
 */
import { z } from "zod";
import { type CaptureOptions, openService, readList } from "./captureSource";
import { connectionStrings } from "./connectionStrings";
import { escapeText } from "./errors";
import { type ListingPath, type SeedCluster, clusterSchema, providerSchema } from "./seed/cluster";
import { type Seed, parseSeed } from "./seed/seed";
import { type Problem, dateSchema, invalid, parse } from "./seed/validation";
import { OffsetClock } from "./store/clock";
import { sha256 } from "./store/cluster";
import { Store } from "./store/store";

/** Reads a project; returns its seed, and warnings about what the seed lacks. */
export async function capture(
  options: CaptureOptions,
): Promise<{ readonly seed: Seed; readonly warnings: string[] }> {
  const texts: string[] = [];
  const get = await openService(options, texts);
  const path = `/groups/${encodeURIComponent(options.project)}`;
  const { created } = parse(projectSchema, await get(path), "The project");
  const list: unknown[] = [];
  for (const { path: listedAt, optional } of options["cluster-paths"]) {
    for (const each of await readList(get, `${path}/${listedAt}`, optional !== "")) {
      list.push(toRecord(each, options["field-prefix"], listedAt));
    }
  }
  const body = await get(`${path}/privateIpMode`, [404, 405]);
  const mode = parse(modeSchema.optional(), body, "Private IP mode");
  // Words that occur nowhere in the source, so that no new name is a name of the source by accident.
  const source = [JSON.stringify(options), ...texts.map(withoutEscapes)].join().toLowerCase();
  const word = unused(source, (at) => `captured${at === 0 ? "" : at}`);
  const id = unused(source, (at) => sha256("captured project", String(at)).slice(0, 24));
  const renamed = new Map<string, string>();
  const schema = recordSchemaFor(options.providers, regionSchemaFor(renamed, word));
  const records = parse(z.array(schema), list, "The list of clusters");
  const clusters = records.map((record, at) => seedCluster(record, `${word}-${at + 1}`));
  const roles = [{ projectId: id, role: "owner" as const }];
  const apiKeys = [{ publicKey: word, privateKey: `${word}-secret`, roles }];
  const project = { id, name: word, organization: word, createdAt: created, clusters };
  const seed: Seed = {
    organizations: [{ name: word, apiKeys }],
    projects: [{ ...project, privateIpMode: mode ?? { enabled: false } }],
  };
  checkStrings(seed, records);
  const known = [...Object.keys(schema.shape), "id", "groupId", "links", "replicaSetNames"];
  const leftOut = new Set(records.flatMap((record) => Object.keys(record)));
  for (const name of known) leftOut.delete(name);
  const noMode = "The service does not return private IP mode; the seed has it off.";
  const lists: [text: string, names: string[]][] = [
    ["The seed lacks fields of the clusters", [...leftOut].sort().map(escapeText)],
    ["The seed has new names for regions that are not known", [...renamed.values()]],
  ];
  const warnings = lists.map(([text, names]) =>
    names.length > 0 ? `${text}: ${names.join(", ")}.` : "",
  );
  return { seed, warnings: [mode ? "" : noMode, ...warnings].filter((text) => text !== "") };
}

/** Returns a record with the names of its versions as in the schema, and with the path that listed it. */
function toRecord(value: unknown, fieldPrefix: string, listedAt: ListingPath): unknown {
  const fields = z.record(z.string(), z.unknown()).safeParse(value).data;
  if (fields === undefined) return value;
  const {
    [`${fieldPrefix}Version`]: version,
    [`${fieldPrefix}MajorVersion`]: majorVersion,
    ...rest
  } = fields;
  return { ...rest, version, majorVersion, listedAt };
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
const projectSchema = z.object({ created: day.optional() });
const modeSchema = z.object({ enabled: z.boolean() });
const { shape } = clusterSchema;

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
/** Returns the schema of a cluster: the list of what may stay as it is, and how other values are replaced. */
function recordSchemaFor(
  providers: CaptureOptions["providers"],
  region: ReturnType<typeof regionSchemaFor>,
) {
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
    listedAt: shape.listedAt.unwrap(),
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
    // Compared with those of the simulator, but never copied.
    connectionStrings: z
      .object({
        standard: z.string().optional(),
        privateEndpoint: z
          .array(
            z
              .object({ srvConnectionString: z.string(), endpoints: endpoints.length(1) })
              .catchall(z.string()),
          )
          .default([]),
      })
      .catchall(z.string())
      .prefault({}),
  });
}
type ClusterRecord = z.output<ReturnType<typeof recordSchemaFor>>;

/** Converts the record of a cluster to the seed, under a new name. */
function seedCluster(data: ClusterRecord, name: string): SeedCluster {
  const { regionName, regionNames, providerName } = data.providerSettings;
  const { privateEndpoint: entries, ...strings } = data.connectionStrings;
  const [entry] = entries;
  const regions = entry ? entries.flatMap(({ endpoints }) => endpoints) : data.privateEndpoints;
  const has = (kind: string) => kind in strings || `${kind}Srv` in strings;
  return {
    name,
    listedAt: data.listedAt,
    type: data.clusterType,
    tier: data.tier,
    version: data.version ?? (data.majorVersion && `${data.majorVersion}.0`),
    reported: reportedVersions(data.version, data.majorVersion),
    provider: providerName,
    regions: regionNames ?? (regionName === undefined ? undefined : [regionName]),
    additionalRegions: data.additionalRegions,
    createdAt: data.createDate,
    peering: has("private") || data.networkPeering,
    privateEndpoints: regions.map((each, at) => ({
      endpointId: `${name}-${at + 1}`,
      region: each.region,
    })),
    regionalizedPrivateEndpoints:
      data.regionalizedPrivateEndpoints ??
      (entry && !/^[^/]*\/\/pl-\d/.test(entry.srvConnectionString)),
    legacyConnectionStrings: has("standard") ? has("legacy") : undefined,
    shards: data.clusterType === "REPLICASET" ? undefined : data.numShards,
    nodes:
      strings.standard === undefined
        ? undefined
        : strings.standard.split(",").length - data.additionalRegions.length,
    diskSizeGB: data.diskSizeGB,
    paused: data.paused,
    state: data.stateName,
    pendingStrings: [
      ...(has("standard") ? [] : ["standard" as const]),
      ...(data.networkPeering && !has("private") ? ["private" as const] : []),
      ...(regions.length > 0 && !entry ? ["privateEndpoint" as const] : []),
    ],
  };
}

/** Returns the versions to report in place of the simulated ones. */
function reportedVersions(version: string | undefined, majorVersion: string | undefined) {
  const isUsual = majorVersion === version?.split(".").slice(0, 2).join(".");
  if (version !== undefined && isUsual) return undefined;
  return {
    ...(version === undefined ? { version: null } : {}),
    majorVersion: majorVersion ?? null,
  };
}

/**
 * Throws unless each cluster has another name, and the simulator generates the same kinds of strings from the seed as
 * the source has.
 */
function checkStrings(seed: Seed, records: readonly ClusterRecord[]): void {
  const [project] = new Store(parseSeed(seed), new OffsetClock()).projects();
  const naming = { scheme: "db", domain: "clusters.example" };
  const names = new Set<string>();
  const problems = records.flatMap(({ name, connectionStrings: strings }, at): Problem[] => {
    if (names.size === names.add(name).size) return [{ path: [at, "name"], text: "exists twice" }];
    const cluster = project?.clusters[at];
    const generated = cluster ? connectionStrings(cluster, project.label, naming) : {};
    const [actual, expected] = [kindsIn(generated), kindsIn(strings)];
    return actual === expected
      ? []
      : [{ path: [at], text: `"${name}" has ${expected}; the simulator: ${actual}` }];
  });
  if (problems.length > 0) throw invalid("The list of clusters", problems);
}

/** The fields of an entry that are not strings. */
const noStrings = ["endpoints", "shownByDefault", "type"];

/** Lists the kinds of strings, with the number of hosts in the standard string. */
function kindsIn({
  standard = "",
  privateEndpoint = [],
  ...strings
}: {
  standard?: string | undefined;
  privateEndpoint?: readonly object[];
}): string {
  const hosts = standard === "" ? [] : [`standard (${standard.split(",").length} hosts)`];
  const entries = privateEndpoint.map((entry) =>
    Object.keys(entry)
      .filter((key) => !noStrings.includes(key))
      .sort()
      .join(" + "),
  );
  return [...hosts, ...Object.keys(strings).sort(), ...entries].join(", ");
}
