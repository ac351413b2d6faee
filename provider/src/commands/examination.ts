/** The checks of `pulumi-clouddb doctor`: what harmless requests find out about the settings. */
import { withAuthentication } from "../service/authentication";
import { ApiError, ResponseError, isMissingOrNotAllowed, isMissingPath } from "../service/errors";
import type { Exchange, ServiceRequest, ServiceResponse } from "../service/exchange";
import { pagePath, readList } from "../service/paging";
import { proxyFor } from "../service/proxy";
import { readResponse } from "../service/responses";
import {
  type ClusterRecord,
  clusterReader,
  pageOf,
  privateIpMode,
  projectReader,
} from "../service/schemas";
import { withCode } from "../messages/codes";
import { escapeText } from "../messages/text";
import { httpsTransport } from "../service/transport";
import * as z from "../messages/zod";
import { withSettingNames } from "./command";
import type { CheckedSettings } from "../service/session";
import {
  type SettingKey,
  type SettingsOwner,
  clusterPathList,
  profiles,
  settingName,
} from "../settings/settings";
import { version } from "../version";

/** The checks, in their order. Each depends on the earlier ones. */
const checks = [
  ...["settings", "address", "proxy", "certificate", "clock", "credentials", "apiPath"],
  ...["mediaType", "project", "role", "mode", "clusterPaths", "paging", "fieldPrefix"],
];

export interface Finding {
  readonly check: string;
  /** `skipped` if an earlier problem makes the check meaningless, or if there is nothing to check. */
  readonly result: "ok" | "problem" | "skipped";
  /** What was found, or why the check was skipped. Safe to print. */
  readonly finding: string;
  /** What to change: environment variables, an option, or something outside this command. */
  readonly change?: string;
}

/** The findings so far, one for each check. A problem wins over other findings. */
export class Findings {
  readonly #byCheck = new Map<string, Finding>();
  readonly #owner: SettingsOwner;

  /** The owner determines how findings name the settings. */
  constructor(owner: SettingsOwner) {
    this.#owner = owner;
  }

  /** Returns the names of settings, as their owner sets them. */
  names(...keys: readonly SettingKey[]): string {
    return keys.map((key) => settingName(this.#owner, key)).join(", ");
  }

  ok(check: string, finding: string): void {
    this.#add({ check, result: "ok", finding });
  }

  skip(check: string, finding: string): void {
    this.#add({ check, result: "skipped", finding });
  }

  /** Returns the name of a setting, with the value that it should have if that is known. */
  proposal(key: SettingKey, value: string | undefined): string {
    return this.names(key) + (value === undefined ? "" : `=${value}`);
  }

  problem(check: string, problem: string, change: string): void {
    const finding = withSettingNames(problem, this.#owner);
    this.#byCheck.set(check, { check, result: "problem", finding, change });
  }

  /** The first problem that makes later checks meaningless. */
  obstacle(): Finding | undefined {
    return this.all().find(
      ({ check, result }) => result === "problem" && check !== "settings" && check !== "clock",
    );
  }

  /** Returns a finding for every check; those without one were skipped for the reason. */
  all(reason = ""): Finding[] {
    return checks.map(
      (check) => this.#byCheck.get(check) ?? { check, result: "skipped", finding: reason },
    );
  }

  #add(finding: Finding): void {
    if (!this.#byCheck.has(finding.check)) this.#byCheck.set(finding.check, finding);
  }
}

type Settings = CheckedSettings["client"];

/** Checks the settings with GET requests. For a service account, requests a token and revokes it. */
export async function examine(
  settings: Settings,
  findings: Findings,
  projectId?: string,
): Promise<Finding[]> {
  const transport = httpsTransport({ ...settings, userAgent: `pulumi-clouddb/${version}` });
  await checkConnection(settings, transport, findings);
  let reason = "";
  if (findings.obstacle() === undefined) {
    const { exchange, close } = withAuthentication(settings.credentials, transport);
    try {
      const api = new Api(settings, exchange, findings);
      const example = await api.check();
      if (projectId === undefined) reason = `pass --project ID${example}`;
      else if (findings.obstacle() === undefined) await api.checkProject(projectId);
    } finally {
      await close();
    }
  }
  const obstacle = findings.obstacle();
  return findings.all(obstacle ? `because of the problem with ${obstacle.check}` : reason);
}

/** Checks the address, the proxy, the certificate and the clock with a request without credentials. */
async function checkConnection(
  { baseUrl, apiPath: path }: Settings,
  transport: Exchange,
  findings: Findings,
): Promise<void> {
  const proxy = proxyFor(baseUrl, process.env);
  const route = proxy?.origin ?? "none is used";
  try {
    const { headers } = await transport({ method: "GET", path, attempt: 1 });
    findings.ok("address", `${baseUrl.origin} responds`);
    findings.ok("proxy", route);
    findings.ok("certificate", "trusted");
    checkClock(headers, findings);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const problem = withCode(error.problem, error.code);
    if (error.code === "certificate") {
      findings.ok("address", `${baseUrl.origin} accepts connections`);
      findings.ok("proxy", route);
      const change = `${findings.names("caFile", "baseUrl")}, or this machine's clock`;
      findings.problem("certificate", problem, change);
    } else if (proxy === undefined) {
      findings.problem("address", problem, findings.names("baseUrl"));
    } else {
      findings.problem("proxy", problem, `${proxy.variable}, NO_PROXY`);
    }
  }
}

function checkClock({ date: [date = ""] = [] }: ServiceResponse["headers"], findings: Findings) {
  const seconds = Math.round((Date.now() - Date.parse(date)) / 1000);
  const difference = `${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} the service's clock`;
  if (Number.isNaN(seconds)) findings.skip("clock", "the service does not send its time");
  else if (Math.abs(seconds) <= 60) findings.ok("clock", difference);
  else {
    const problem = `this machine's clock is ${difference}`;
    findings.problem("clock", withCode(problem, "doctor"), "this machine's clock");
  }
}

const anyEntity = z.looseObject({});

/** The clusters at one path of a project. */
interface ClustersAt {
  readonly path: string;
  readonly clusters: readonly ClusterRecord[];
  /** The clusters as the service sends them. */
  readonly records: readonly unknown[];
  /** Whether the service reports a total count. */
  readonly paging: string;
  readonly incomplete: string | undefined;
}

/** The checks that need credentials. */
class Api {
  readonly #settings: Settings;
  readonly #exchange: Exchange;
  readonly #findings: Findings;

  constructor(settings: Settings, exchange: Exchange, findings: Findings) {
    this.#settings = settings;
    this.#exchange = exchange;
    this.#findings = findings;
  }

  /**
   * Checks the credentials, apiPath and mediaType with the root of the API and the list of projects, either of which
   * a service may lack. Returns the ID of a project as an example, for a message.
   */
  async check(): Promise<string> {
    const { apiPath, mediaType, credentials } = this.#settings;
    const root = await this.#get(apiPath, anyEntity);
    const list = `${apiPath}/groups?pageNum=1&itemsPerPage=1&includeCount=true`;
    const projects = await this.#get(list, pageOf(projectReader));
    const errors = [root, projects].filter((each) => each instanceof ApiError);
    const urgency = (each: ApiError) => concerns.indexOf(concernOf(each));
    const [mostUrgent] = errors.toSorted((a, b) => urgency(a) - urgency(b));
    const versionError = errors.find((each) => concernOf(each) === "mediaType");
    const error = versionError ?? (errors.length === 2 ? mostUrgent : undefined);
    if (error !== undefined) this.#report(error, "apiPath");
    const isUnknown = error !== undefined && concernOf(error) === "path";
    if (isUnknown && credentials.kind !== "serviceAccount") {
      this.#findings.skip("credentials", "because the API was not found");
    }
    this.#okBefore("credentials", `the ${principals[credentials.kind].label} is accepted`);
    this.#okBefore("apiPath", `the API responds at ${apiPath}`);
    this.#okBefore("mediaType", `${mediaType} is accepted`);
    const id = projects instanceof ApiError ? undefined : projects.results[0]?.id;
    return id === undefined ? "" : `, such as ${escapeText(id, 100)}`;
  }

  /** Checks what resources and functions need of a project. */
  async checkProject(projectId: string): Promise<void> {
    const project = `${this.#settings.apiPath}/groups/${projectId}`;
    const lists: ClustersAt[] = [];
    for (const { name, isOptional } of this.#settings.clusterPaths) {
      const list = await this.#clustersAt(project, name);
      if (!(list instanceof ApiError)) lists.push(list);
      else if (concernOf(list) !== "path") this.#report(list, "role");
      else if (!(isOptional && isMissingPath(list))) {
        const isFound =
          lists.length > 0 || !((await this.#get(project, anyEntity)) instanceof ApiError);
        this.#report(list, isFound ? "clusterPaths" : "project");
      }
      if (this.#findings.obstacle() !== undefined) return;
    }
    this.#findings.ok("project", "found");
    this.#findings.ok("role", "may read; only a change shows whether it may change the mode");
    const mode = await this.#get(`${project}/privateIpMode`, privateIpMode);
    if (!(mode instanceof ApiError)) {
      this.#findings.ok("mode", `readable: ${mode.enabled ? "enabled" : "disabled"}`);
    } else if (isMissingOrNotAllowed(mode)) {
      this.#findings.ok("mode", "not readable, because the service only returns it after a change");
    } else this.#report(mode, "mode");
    await this.#checkOtherPaths(project, lists);
    this.#checkLists(lists);
  }

  /** Looks for further lists of clusters. Without their path, the guard would miss their clusters. */
  async #checkOtherPaths(project: string, lists: readonly ClustersAt[]): Promise<void> {
    const known = this.#settings.clusterPaths.map(({ name }) => name);
    const current = this.#settings.clusterPaths.map((each) =>
      each.isOptional ? `${each.name}?` : each.name,
    );
    const all = Object.values(profiles).flatMap((profile) => clusterPathList(profile.clusterPaths));
    const others = new Set(all.map(({ name }) => name).filter((name) => !known.includes(name)));
    const names = new Set(lists.flatMap((list) => list.clusters.map((each) => each.name)));
    for (const name of others) {
      const list = await this.#clustersAt(project, name);
      if (list instanceof ApiError || list.clusters.every((each) => names.has(each.name))) continue;
      const change = this.#findings.proposal("clusterPaths", [...current, name].join(","));
      const problem = withCode(`the service lists more clusters at ${name}`, "doctor");
      this.#findings.problem("clusterPaths", problem, change);
    }
    const counts = lists.map(({ path, clusters }) => `${path} (${clusters.length})`).join(", ");
    this.#findings.ok("clusterPaths", counts);
  }

  #checkLists(lists: readonly ClustersAt[]): void {
    const findings = this.#findings;
    const clusters = lists.flatMap((list) => list.clusters);
    const gap = lists.find(({ incomplete }) => incomplete !== undefined)?.incomplete;
    const malformed = clusters.find((each) => each.kind === "malformed");
    const consequence = "Lookups of listed clusters work, but private IP mode cannot be disabled.";
    const problem =
      gap === undefined
        ? malformed &&
          withCode(`a cluster is malformed: ${escapeText(malformed.problem)}`, "malformed-cluster")
        : withCode(`${gap}. ${consequence}`, "incomplete-list");
    const operator =
      "no setting; see https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/reference/service-differences.md";
    if (problem !== undefined) findings.problem("paging", problem, operator);
    findings.ok("paging", [...new Set(lists.map(({ paging }) => paging))].join(", "));

    const { fieldPrefix } = this.#settings;
    const versions = clusters.filter((each) => each.kind !== "malformed" && each.version);
    if (clusters.length === 0) findings.skip("fieldPrefix", "because the project has no clusters");
    else if (versions.length > 0) findings.ok("fieldPrefix", `${fieldPrefix}Version is present`);
    else {
      const prefix = prefixIn(lists.flatMap(({ records }) => records));
      const change = findings.proposal("fieldPrefix", prefix);
      const problem = withCode(`no cluster has a field ${fieldPrefix}Version`, "doctor");
      findings.problem("fieldPrefix", problem, change);
    }
  }

  async #clustersAt(project: string, path: string): Promise<ClustersAt | ApiError> {
    const records: unknown[] = [];
    const read = clusterReader(this.#settings.fieldPrefix);
    const schema = pageOf((record) => {
      records.push(record);
      return read(record);
    });
    return await answerOf(async () => {
      const readPage = (number: number) =>
        this.#read(pagePath(`${project}/${path}`, number), schema);
      const { entities, hasCount, incomplete } = await readList(readPage, { verifyEnd: true });
      const paging = hasCount ? "totalCount" : "no totalCount";
      return { path, clusters: entities, records, paging, incomplete };
    });
  }

  async #get<T>(path: string, schema: z.ZodMiniType<T>): Promise<T | ApiError> {
    return await answerOf(() => this.#read(path, schema));
  }

  async #read<T>(path: string, schema: z.ZodMiniType<T>): Promise<T> {
    const request: ServiceRequest = { method: "GET", path, attempt: 1 };
    return readResponse(request, await this.#exchange(request), schema);
  }

  /** Reports an error. `check` is the check that a missing path or an unauthorized request is about. */
  #report(error: ApiError, check: "apiPath" | "role" | "mode" | "project" | "clusterPaths"): void {
    const [name, change] = this.#causeOf(error, check);
    this.#findings.problem(name, withCode(error.message, error.code), change);
  }

  #causeOf(error: ApiError, check: string): [check: string, change: string] {
    const { apiPath, credentials, mediaType } = this.#settings;
    const { label, keys } = principals[credentials.kind];
    const findings = this.#findings;
    const concern = concernOf(error);
    const detail = (error instanceof ResponseError ? error.detail : undefined) ?? "";
    const profile = profileIn(detail, apiPath);
    const isRedirect = error instanceof ResponseError && error.status < 400;
    switch (concern) {
      case "accessList":
        return ["credentials", `the API access list of the ${label}`];
      case "credentials":
      case "role":
        if (concern === "credentials" && check === "apiPath")
          return [concern, findings.names(...keys)];
        return ["role", `the roles of the ${label}`];
      case "tokenPath":
        return ["credentials", findings.names(isRedirect ? "baseUrl" : "tokenPath")];
      case "mediaType":
        return ["mediaType", findings.proposal("mediaType", mediaTypeIn(detail, mediaType))];
      case "path":
        if (check === "project") return [check, "--project"];
        if (check === "clusterPaths") return [check, findings.names(check)];
        if (isRedirect) return [check, findings.names("baseUrl")];
        return [check, findings.proposal(profile ? "profile" : "apiPath", profile)];
      case "service":
        return [check, "no setting; try again later"];
    }
  }

  /** Adds a finding unless an earlier check found a problem. */
  #okBefore(check: string, finding: string): void {
    const obstacle = this.#findings.obstacle();
    if (obstacle && checks.indexOf(obstacle.check) <= checks.indexOf(check)) return;
    this.#findings.ok(check, finding);
  }
}

/** The name of each kind of credentials in messages, and its settings. */
const principals = {
  apiKey: { label: "API key", keys: ["publicKey", "privateKey"] },
  serviceAccount: { label: "service account", keys: ["clientId", "clientSecret"] },
  accessToken: { label: "access token", keys: ["accessToken"] },
} as const;

/** What the error of a request with credentials is about, the most urgent first. */
const concerns = [
  ...["accessList", "credentials", "tokenPath", "mediaType", "role", "service", "path"],
] as const;

function concernOf(error: ApiError): (typeof concerns)[number] {
  const { code, method } = error;
  if (["rate-limited", "server-error", "timeout", "connection", "certificate"].includes(code))
    return "service";
  if (code === "access-list") return "accessList";
  const isVersion = code === "media-type";
  const isPathWrong = ["not-found", "method-not-allowed", "malformed-response"].includes(code);
  if (method === "POST") return isPathWrong || isVersion ? "tokenPath" : "credentials";
  if (isVersion) return "mediaType";
  if (code === "authentication") return "credentials";
  if (code === "forbidden") return "role";
  return "path";
}

/** Returns the media type that the service names in its answer, or the one in use with the date that it names. */
function mediaTypeIn(detail: string, used: string): string | undefined {
  const [named] = /application\/vnd\.[\w.-]+\+json/.exec(detail) ?? [];
  const [, date] = /versions?:? (?:[\d-]+, )*(\d{4}-\d{2}-\d{2})/i.exec(detail) ?? [];
  const proposed = named ?? (date && used.replace(/\d{4}-\d{2}-\d{2}/, date));
  return proposed === used ? undefined : proposed;
}

/** Returns the profile of another API that the service names in its answer. */
function profileIn(detail: string, used: string): string | undefined {
  const others = Object.entries(profiles).filter(([, { apiPath }]) => apiPath !== used);
  // The service may quote the path of the request.
  const rest = detail.replaceAll(used, "");
  return others.find(([, { apiPath }]) => rest.includes(apiPath))?.[0];
}

async function answerOf<T>(work: () => Promise<T>): Promise<T | ApiError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Finds the prefix of the two version fields in cluster records. */
function prefixIn(records: readonly unknown[]): string | undefined {
  const prefixes = records.flatMap((record) => {
    const names = Object.keys(anyEntity.safeParse(record).data ?? {});
    const found = names.flatMap((name) => /^(\w{1,50})MajorVersion$/.exec(name)?.[1] ?? []);
    return found.filter((prefix) => names.includes(`${prefix}Version`));
  });
  return prefixes[0];
}
