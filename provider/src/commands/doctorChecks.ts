/** The checks of `pulumi-clouddb doctor`: the settings, the service, and what resources need of a project. */
import { listedCluster } from "../clusterConnectionStrings/findClusters";
import type { ListedCluster } from "../clusterConnectionStrings/outputs";
import { type Code, withCode, ProviderError, UserError } from "../messages/errors";
import { doctorAdvice } from "../messages/recommendations";
import { escapeText } from "../messages/text";
import { onOrOff } from "../privateIpMode/args";
import { disableRefusal, disableWarning, minimumMajorVersion } from "../privateIpMode/guard";
import { Client, type ClientSettings } from "../service/client";
import type { ListedClusters, VerifiedClusters } from "../service/clusterLists";
import { ApiError } from "../service/requestErrors";
import { proxyFor } from "../service/proxy";
import { loggedRetries } from "../service/session";
import { httpsTransport } from "../service/transport";
import { readSettings } from "../settings/readSettings";
import { type SettingsSource, clusterPathList, profiles } from "../settings/settings";
import { version } from "../version";
import { errorLog, forCommand } from "./command";

/** Checks the settings and, if they are valid, the service. Stops at a problem that would cause the next ones. */
export async function runChecks(
  source: SettingsSource,
  projectId: string | undefined,
): Promise<Findings> {
  const findings = new Findings(source.owner.kind === "stack");
  const settings = await usableSettings(source, findings);
  if (settings !== undefined) await checkService(settings, projectId, findings);
  return findings;
}

/** The name of a check, and what it found. */
export interface Finding {
  readonly check: string;
  readonly finding: string;
}

/** A finding that the user must act on. */
export interface Problem extends Finding {
  readonly code: Code;
}

/** A project, as `--json` prints it. */
interface ProjectState {
  /** The private IP mode. */
  readonly mode: "on" | "off" | "unknown";
  /** Whether the guard would allow disabling the mode now; absent if it is off. */
  readonly disable?: "allowed" | "refused";
  /** Sorted by name. */
  readonly clusters: readonly ListedCluster[];
}

/** Collects what the checks find, in the words of the reader of a command. */
export class Findings {
  readonly ok: Finding[] = [];
  /** Facts that neither warn nor fail, such as whether the mode can be disabled. */
  readonly notes: Finding[] = [];
  readonly warnings: Finding[] = [];
  readonly problems: Problem[] = [];
  /** What was read of a project; undefined without one, and if its clusters cannot be read. */
  project: ProjectState | undefined;
  /** Whether messages name the settings as the configuration of a stack does. */
  readonly hasStack: boolean;

  constructor(hasStack: boolean) {
    this.hasStack = hasStack;
  }

  note(check: string, message: string): void {
    this.notes.push({ check, finding: forCommand(message, this.hasStack) });
  }

  warn(check: string, message: string): void {
    this.warnings.push({ check, finding: forCommand(message, this.hasStack) });
  }

  fail(check: string, message: string, code: Code): void {
    const ownMessage = message.replace(` ${doctorAdvice}`, "");
    const finding = withCode(forCommand(ownMessage, this.hasStack), code);
    this.problems.push({ check, finding, code });
  }

  /**
   * Makes a check, and keeps its finding or its problem.
   *
   * @param check its name in the output
   * @param work returns the result, or throws a user error, which is then the problem
   * @param findingOf says what the result is. Default: the result as text
   * @returns the result; undefined if there is a problem
   */
  async runCheck<T>(
    check: string,
    work: () => T | Promise<T>,
    findingOf: (result: T) => string = String,
  ): Promise<T | undefined> {
    try {
      const result = await work();
      this.ok.push({ check, finding: findingOf(result) });
      return result;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.fail(check, error.message, error.code ?? "doctor");
      return undefined;
    }
  }
}

/** Returns the settings, or undefined if no request should be sent with them. */
async function usableSettings(
  source: SettingsSource,
  findings: Findings,
): Promise<ClientSettings | undefined> {
  const read = await findings.runCheck(
    "settings",
    () => readSettings(source, process.env),
    () => "valid",
  );
  if (read === undefined) return undefined;
  for (const doubt of read.doubts) findings.warn("settings", doubt);
  // Other commands only warn about misspelled names.
  if (read.misspelled.length > 0) findings.fail("names", read.misspelled.join("\n"), "settings");
  return { ...read.client, userAgent: `pulumi-clouddb/${version}` };
}

/** Checks the address, the credentials, and what resources need of a project. */
async function checkService(
  settings: ClientSettings,
  projectId: string | undefined,
  findings: Findings,
): Promise<void> {
  const route = await findings.runCheck("address", () => checkAddress(settings));
  if (route === undefined) return;
  const retryPolicy = loggedRetries(errorLog(findings.hasStack));
  const client = new Client({ ...settings, retryPolicy });
  try {
    const access = await findings.runCheck(
      "access",
      () => checkAccess(client),
      () => `the credentials are accepted at ${settings.apiPath}`,
    );
    if (access === undefined) return;
    if (projectId === undefined) {
      const finding = `none was given; to check one, pass --project ID${access.example}`;
      findings.ok.push({ check: "project", finding });
      return;
    }
    findings.project = await checkProject(settings, client, projectId, findings);
  } finally {
    await client.close();
  }
}

/** Checks what resources need of a project. Returns undefined if its clusters cannot be read. */
async function checkProject(
  settings: ClientSettings,
  client: Client,
  projectId: string,
  findings: Findings,
): Promise<ProjectState | undefined> {
  const list = await findings.runCheck(
    "clusters",
    () => client.verifyClusters(projectId),
    ({ clusters, paths }) => `${clusters.length} at ${paths.join(", ")}`,
  );
  // Without the list, a mode that is not returned can also be that of a project that does not exist.
  if (list === undefined) return undefined;
  await findings.runCheck("list", () => checkList(list));
  await findings.runCheck("paths", () => checkOtherPaths(client, projectId, list));
  if (list.clusters.length > 0)
    await findings.runCheck("versions", () => checkVersions(settings, list));
  const read = await findings.runCheck("mode", () => readMode(client, projectId), modeFinding);
  // If it cannot be read, it may be on.
  const mode = read ?? "unknown";
  const clusters = list.clusters
    .map((cluster) => listedCluster(cluster))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (mode === "off") return { mode, clusters };
  return { mode, disable: noteDisable(projectId, list, findings), clusters };
}

/** Notes whether the guard would allow disabling the mode now, and which strings depend on the mode. */
function noteDisable(
  projectId: string,
  list: VerifiedClusters,
  findings: Findings,
): "allowed" | "refused" {
  const refusal = disableRefusal(projectId, list);
  const allowed = `private IP mode of project ${escapeText(projectId)} can be disabled, because no cluster runs a version below ${minimumMajorVersion}`;
  findings.note("disable", refusal ?? allowed);
  const warning = disableWarning(projectId, list.clusters);
  if (warning !== undefined) findings.note("strings", warning);
  return refusal === undefined ? "allowed" : "refused";
}

/** Checks the address, the proxy and the certificate with a request without credentials. */
async function checkAddress(settings: ClientSettings): Promise<string> {
  const { baseUrl, apiPath: path, mediaType: accept } = settings;
  await httpsTransport(settings)({ method: "GET", path, accept, attempt: 1 });
  const proxy = proxyFor(baseUrl, process.env);
  const route = proxy === undefined ? "" : ` through the proxy ${proxy.origin}`;
  return `${baseUrl.origin} responds${route}`;
}

/** Asks for the list of projects, or for the root of the API, because a service may lack one of them. */
async function checkAccess(client: Client): Promise<{ readonly example: string }> {
  const projects = await client.listProjects().catch(async (error: unknown) => {
    if (error instanceof ApiError && (await client.isApiRootValid())) return undefined;
    throw error;
  });
  const id = projects?.entities[0]?.id;
  return { example: id === undefined ? "" : `, such as ${escapeText(id, 100)}` };
}

/** Throws if the list of clusters may be incomplete. */
function checkList({ gap }: VerifiedClusters): string {
  if (gap === undefined) return "complete";
  throw new ProviderError(
    `${gap.reason}. Lookups of listed clusters work, but getClusters fails. ${gap.advice}`,
    { code: "incomplete-list" },
  );
}

/** The codes of responses for a path that a service does not have. */
const missingPathCodes: readonly Code[] = ["not-found", "method-not-allowed", "media-type"];

/** Looks for further lists of clusters, because the guard misses clusters whose path is not in clusterPaths. */
async function checkOtherPaths(
  client: Client,
  projectId: string,
  { clusters: known, paths }: ListedClusters,
): Promise<string> {
  const all = Object.values(profiles).flatMap((profile) => clusterPathList(profile.clusterPaths));
  const others = new Set(all.filter((name) => !paths.includes(name)));
  for (const name of others) {
    const listed = await client
      .listClusters(projectId, { paths: [name] })
      .catch((error: unknown) => {
        const isMissing = error instanceof ApiError && missingPathCodes.includes(error.code);
        if (!isMissing) throw error;
        return { clusters: [] };
      });
    if (listed.clusters.every((cluster) => known.some(({ name }) => name === cluster.name)))
      continue;
    throw new ProviderError(
      `the service lists more clusters at ${name}. Add ${name} to clouddb:clusterPaths.`,
    );
  }
  return "no other path lists more clusters";
}

/** Throws if no cluster has a version, because the field then has another name. */
function checkVersions({ fieldPrefix }: ClientSettings, { clusters }: ListedClusters): string {
  const field = `${fieldPrefix}Version`;
  if (clusters.some((cluster) => cluster.version !== undefined)) return `${field} is present`;
  throw new ProviderError(
    `no cluster has a field ${field}. Set clouddb:fieldPrefix to the start of the service's version fields.`,
  );
}

async function readMode(client: Client, projectId: string): Promise<ProjectState["mode"]> {
  const enabled = await client.getPrivateIpMode(projectId);
  return enabled === undefined ? "unknown" : onOrOff(enabled);
}

function modeFinding(mode: ProjectState["mode"]): string {
  return mode === "unknown"
    ? "not readable, because the service only returns it after a change"
    : `private IP mode is ${mode}`;
}
