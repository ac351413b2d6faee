/** `pulumi-clouddb doctor`: prints the settings, and checks them with harmless requests. */
import { type Code, withCode, ProviderError, UserError } from "../messages/errors";
import { columns } from "../messages/format";
import { doctorAdvice, unsetVariable } from "../messages/recommendations";
import { escapeText, jsonText } from "../messages/text";
import { onOrOff } from "../privateIpMode/args";
import { Client, type ClientSettings } from "../service/client";
import type { ListedClusters, VerifiedClusters } from "../service/clusterLists";
import { ApiError } from "../service/requestErrors";
import { differencesPage } from "../service/paging";
import { proxyFor } from "../service/proxy";
import { loggedRetries } from "../service/session";
import { httpsTransport } from "../service/transport";
import {
  type ReportedSetting,
  printedValue,
  readSettings,
  removalCommand,
  reportedSettings,
  settingCommand,
} from "../settings/readSettings";
import {
  type ProfileName,
  type SettingsSource,
  clusterPathList,
  isProfileName,
  profiles,
} from "../settings/settings";
import { version } from "../version";
import {
  defineCommand,
  errorLog,
  forCommand,
  requiredProject,
  success,
  commandSettings,
} from "./command";

export const doctor = defineCommand({
  name: "doctor",
  summary: "check the settings and the service, and say what to change",
  usage: "[--project ID] [--stack NAME]",
  help: `Usage: pulumi-clouddb doctor [--project ID] [--stack NAME] [--json]

Prints the settings that are set and where they come from, then checks them with GET requests, and names what to
change. Changes nothing. For a service account, it requests a token and revokes it.

  --project ID   also check what resources need of this project
  --stack NAME   read the configuration of this stack before the environment, with pulumi config. Run the
                 command in the program's folder
  --json         print the result as one JSON object
  --help         print this help

Settings are read from the provider's environment variables and, with --stack, from the stack's configuration.
Those of a clouddb.Provider in the program are not visible to this command.

Exit code: 0 no problem found, 1 a problem found, 2 wrong usage.`,
  failure: "Could not check the settings",
  options: {
    project: { type: "string" },
    stack: { type: "string" },
    json: { type: "boolean", default: false },
  },
  async run({ project, stack, json }) {
    const projectId = project === undefined ? undefined : requiredProject(project);
    const source = await commandSettings(stack);
    const settings = reportedSettings(source, process.env);
    const { ok, warnings, problems } = await runChecks(source, projectId);
    const recommendation = await profileRecommendation(source, settings, projectId, problems);
    // Only here, because the recommendation compares the values.
    const printed = settings.map((setting) => ({ ...setting, value: printedValue(setting) }));
    const result = { settings: printed, ok, warnings, problems, recommendation };
    const output = json ? jsonText(result) : diagnosisText(result, stack);
    return success(output, problems.length === 0 ? 0 : 1);
  },
});

/** The name of a check, and what it found. */
interface Finding {
  readonly check: string;
  readonly finding: string;
}

/** A finding that the user must act on. */
interface Problem extends Finding {
  readonly code: Code;
}

/** What the command prints. The values of settings that are secrets are replaced. */
interface Diagnosis extends Pick<Findings, "ok" | "warnings" | "problems"> {
  readonly settings: readonly (Omit<ReportedSetting, "value"> & { readonly value: string })[];
  readonly recommendation: readonly string[] | undefined;
}

/** Collects what the checks find, in the words of the reader of a command. */
class Findings {
  readonly ok: Finding[] = [];
  readonly warnings: Finding[] = [];
  readonly problems: Problem[] = [];
  /** Whether messages name the settings as the configuration of a stack does. */
  readonly hasStack: boolean;

  constructor(hasStack: boolean) {
    this.hasStack = hasStack;
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

/** The codes of problems that another profile can solve. */
const profileProblems: readonly Code[] = [
  "media-type",
  "not-found",
  "method-not-allowed",
  "malformed-response",
  "doctor",
];

/** Checks the settings and, if they are valid, the service. Stops at a problem that would cause the next ones. */
async function runChecks(source: SettingsSource, projectId: string | undefined): Promise<Findings> {
  const findings = new Findings(source.owner.kind === "stack");
  const settings = await usableSettings(source, findings);
  if (settings !== undefined) await checkService(settings, projectId, findings);
  return findings;
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
  const settings = { ...read.client, userAgent: `pulumi-clouddb/${version}` };
  const { baseUrl, apiPath } = settings;
  if (baseUrl.hostname !== "cloud.mongodb.com" || apiPath !== profiles.default.apiPath) {
    return settings;
  }
  const command = settingCommand(source.owner, "profile", "v2");
  const problem = `cloud.mongodb.com is MongoDB Atlas, which needs another profile. Run:\n${command}`;
  findings.fail("profile", problem, "settings");
  return undefined;
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
    const list = await findings.runCheck(
      "clusters",
      () => client.verifyClusters(projectId),
      ({ clusters, paths }) => `${clusters.length} at ${paths.join(", ")}`,
    );
    // Without the list, a mode that is not returned can also be that of a project that does not exist.
    if (list === undefined) return;
    await findings.runCheck("list", () => checkList(list));
    await findings.runCheck("paths", () => checkOtherPaths(client, projectId, list));
    if (list.clusters.length > 0)
      await findings.runCheck("versions", () => checkVersions(settings, list));
    await findings.runCheck("mode", () => modeFinding(client, projectId));
  } finally {
    await client.close();
  }
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

/** Throws if the list of clusters may be incomplete, because the guard then refuses to disable the mode. */
function checkList({ gap }: VerifiedClusters): string {
  if (gap === undefined) return "complete";
  throw new ProviderError(
    `${gap.reason}. Lookups of listed clusters work, but private IP mode cannot be disabled. ${gap.advice}`,
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

/** Says what private IP mode of a project is, or that the service does not return it. */
async function modeFinding(client: Client, projectId: string): Promise<string> {
  const mode = await client.getPrivateIpMode(projectId);
  return mode !== undefined
    ? `private IP mode is ${onOrOff(mode)}`
    : "not readable, because the service only returns it after a change";
}

/** Looks for a profile without problems but misspelled names. Returns the shell commands that select it. */
async function profileRecommendation(
  source: SettingsSource,
  settings: readonly ReportedSetting[],
  projectId: string | undefined,
  problems: readonly Problem[],
): Promise<string[] | undefined> {
  if (!problems.some(({ code }) => profileProblems.includes(code))) return undefined;
  for (const name of Object.keys(profiles).filter(isProfileName)) {
    const values = new Map<string, string>([["profile", name], ...Object.entries(profiles[name])]);
    const { problems: others } = await runChecks(
      { ...source, get: (key) => values.get(key) ?? source.get(key) },
      projectId,
    );
    if (others.every(({ check }) => check === "names")) return commandsFor(source, name, settings);
  }
  return undefined;
}

/** Returns the commands that select a profile, and remove the settings that override it. */
function commandsFor(
  { owner }: SettingsSource,
  name: ProfileName,
  settings: readonly ReportedSetting[],
): string[] {
  const ofProfile = new Map<string, string>(Object.entries(profiles[name]));
  const overrides = settings.filter(
    ({ key, value }) => ofProfile.has(key) && value !== ofProfile.get(key),
  );
  const current = settings.find(({ key }) => key === "profile")?.value ?? "default";
  return [
    ...(current === name ? [] : [settingCommand(owner, "profile", name)]),
    ...overrides.flatMap(({ key, variable, source }) => [
      ...(source === "stack" ? [removalCommand(owner, key)] : []),
      ...(process.env[variable] ? [unsetVariable(variable)] : []),
    ]),
  ];
}

/** Writes the settings, the findings and the recommendation as text. */
function diagnosisText(diagnosis: Diagnosis, stack: string | undefined): string {
  const { settings, ok, warnings, problems, recommendation } = diagnosis;
  const rows = [
    ...ok.map(({ check, finding }) => ["ok", check, finding]),
    ...warnings.map(({ check, finding }) => ["warning", check, finding]),
    ...problems.flatMap(({ check, finding }) => {
      const [first = "", ...others] = finding.split("\n");
      return [["problem", check, first], ...others.map((line) => ["", "", line])];
    }),
  ];
  return [
    stack === undefined
      ? "Settings of the environment (--stack NAME also reads the configuration of a stack):"
      : `Settings of the stack ${escapeText(stack)} and of the environment, but not of a clouddb.Provider in the program:`,
    indentedColumns(
      settings.map(({ key, variable, value, source }) => [
        source === "stack" ? `clouddb:${key}` : variable,
        value,
        source === "stack" && process.env[variable] ? `stack; ${variable} is ignored` : source,
      ]),
    ),
    "Checks:",
    indentedColumns(rows),
    ...(recommendation
      ? ["Recommended settings:", indentedColumns(recommendation.map((line) => [line]))]
      : []),
    problems.length === 0
      ? "No problem found."
      : `${problems.length} ${problems.length === 1 ? "problem" : "problems"} found. The settings of other services: ${differencesPage}`,
  ].join("\n");
}

function indentedColumns(rows: readonly (readonly string[])[]): string {
  return columns(rows.map((row) => ["", ...row]));
}
