/** `pulumi-clouddb doctor`: prints the settings, and checks them with harmless requests until the first problem. */
import { type Code, withCode } from "../messages/codes";
import { ProviderError, UserError } from "../messages/errors";
import { unsetVariable } from "../messages/shell";
import { escapeText, jsonText } from "../messages/text";
import { onOrOff } from "../privateIpMode/args";
import { Client, type ClientSettings } from "../service/client";
import type { ListedClusters } from "../service/clusterLists";
import { ApiError } from "../service/errors";
import { proxyFor } from "../service/proxy";
import { loggedRetries } from "../service/session";
import { httpsTransport } from "../service/transport";
import {
  type ReportedSetting,
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
  isSettingKey,
  profiles,
} from "../settings/settings";
import { version } from "../version";
import { defineCommand, errorLog, forCommand, requiredProject, success } from "./command";
import { settingsSource } from "./commandSettings";
import { findListNames } from "./listNames";
import { columns } from "./terminal";

export const doctor = defineCommand({
  name: "doctor",
  summary: "check the settings and the service, and say what to change",
  usage: "[--project ID] [--stack NAME]",
  help: `Usage: pulumi-clouddb doctor [--project ID] [--stack NAME] [--json]

Prints the settings that are set and where they come from, then checks them with GET requests until the first problem,
and names what to change. Changes nothing. For a service account, it requests a token and revokes it.

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
    const source = await settingsSource(stack);
    const settings = reportedSettings(source, process.env);
    const { ok, problem } = await examine(source, projectId);
    const { commands: recommendation, seen } =
      problem === undefined
        ? {}
        : ((await profileRecommendation(source, settings, projectId, problem)) ??
          (await listRecommendation(source, projectId, problem)));
    const finding = [problem?.finding ?? "", ...(seen === undefined ? [] : [seen])].join("\n");
    const result = { settings, ok, problem: problem && { ...problem, finding }, recommendation };
    const output = json ? jsonText(result) : report(result, stack);
    return success(output, problem === undefined ? 0 : 1);
  },
});

interface Finding {
  readonly check: string;
  /** What was found. Safe to print. */
  readonly finding: string;
}

interface Examination {
  readonly ok: readonly Finding[];
  /** The first problem, which ends the checks. */
  readonly problem: DoctorProblem | undefined;
}

interface DoctorProblem extends Finding {
  readonly code: Code;
}

/** The output of `--json`. */
interface Diagnosis extends Examination {
  readonly settings: readonly ReportedSetting[];
  /** Shell commands that correct the settings. */
  readonly recommendation: readonly string[] | undefined;
}

/** The problems that another profile can solve. */
const profileProblems: readonly Code[] = [
  "media-type",
  "not-found",
  "method-not-allowed",
  "malformed-response",
  "doctor",
];

/** The problems of a list that other names for its parameters and its count can solve. */
const listProblems: readonly Code[] = ["incomplete-list", "invalid-field"];

async function examine(
  source: SettingsSource,
  projectId: string | undefined,
): Promise<Examination> {
  const ok: Finding[] = [];
  const hasStack = source.owner.kind === "stack";
  let check = "settings";
  const found = (finding: string, next: string) => {
    ok.push({ check, finding });
    check = next;
  };
  try {
    const settings = validSettings(source);
    found("valid", "address");
    found(await checkAddress(settings), "access");
    const client = new Client({ ...settings, retryPolicy: loggedRetries(errorLog(hasStack)) });
    try {
      const example = await checkAccess(client);
      found(`the credentials are accepted at ${settings.apiPath}`, "project");
      if (projectId === undefined)
        found(`none was given; to check one, pass --project ID${example}`, "");
      else {
        check = "clusters";
        const list = await readClusters(client, projectId);
        await checkOtherPaths(client, projectId, list);
        found(`${list.clusters.length} at ${list.paths.join(", ")}`, "versions");
        if (list.clusters.length > 0) found(checkVersions(settings, list), "mode");
        check = "mode";
        found(await readMode(client, projectId), "");
      }
    } finally {
      await client.close();
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code = "doctor" } = error;
    const finding = withCode(forCommand(error.message, hasStack), code);
    return { ok, problem: { check, finding, code } };
  }
  return { ok, problem: undefined };
}

/** Reads the settings. A misspelled name is a problem here; other commands only warn about it. */
function validSettings(source: SettingsSource): ClientSettings {
  const { client, warnings } = readSettings(source, process.env);
  if (warnings.length > 0) throw new ProviderError(warnings.join("\n"), { code: "settings" });
  return { ...client, userAgent: `pulumi-clouddb/${version}` };
}

/** Checks the address, the proxy and the certificate with a request without credentials. */
async function checkAddress(settings: ClientSettings): Promise<string> {
  const { baseUrl, apiPath: path } = settings;
  await httpsTransport(settings)({ method: "GET", path, attempt: 1 });
  const proxy = proxyFor(baseUrl, process.env);
  const route = proxy === undefined ? "" : ` through the proxy ${proxy.origin}`;
  return `${baseUrl.origin} responds${route}`;
}

/**
 * Checks the credentials and apiPath with the list of projects and the root of the API. A service may lack
 * either of them. Returns the ID of a project as an example for a message.
 */
async function checkAccess(client: Client): Promise<string> {
  const projects = await client.listProjects().catch(async (error: unknown) => {
    if (error instanceof ApiError && (await client.isApiRootValid())) return undefined;
    throw error;
  });
  const id = projects?.entities[0]?.id;
  return id === undefined ? "" : `, such as ${escapeText(id, 100)}`;
}

/** Lists the clusters as the guard does. */
async function readClusters(client: Client, projectId: string): Promise<ListedClusters> {
  const list = await client.verifyClusters(projectId);
  if (list.incomplete !== undefined) {
    throw new ProviderError(
      `${list.incomplete.reason}. Lookups of listed clusters work, but private IP mode cannot be disabled.`,
      { code: "incomplete-list" },
    );
  }
  return list;
}

/** The codes of responses to a path that a service does not have. */
const missingPathCodes: readonly Code[] = ["not-found", "method-not-allowed", "media-type"];

/** Looks for further lists of clusters, because the guard misses clusters whose path is not in clusterPaths. */
async function checkOtherPaths(
  client: Client,
  projectId: string,
  { clusters: known, paths }: ListedClusters,
): Promise<void> {
  const all = Object.values(profiles).flatMap((profile) => clusterPathList(profile.clusterPaths));
  const others = new Set(all.filter((name) => !paths.includes(name)));
  for (const name of others) {
    const listed = await client.listClusters(projectId, [name]).catch((error: unknown) => {
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
}

function checkVersions({ fieldPrefix }: ClientSettings, { clusters }: ListedClusters): string {
  const field = `${fieldPrefix}Version`;
  if (clusters.some((cluster) => cluster.version !== undefined)) return `${field} is present`;
  throw new ProviderError(
    `no cluster has a field ${field}. Set clouddb:fieldPrefix to the start of the service's version fields.`,
  );
}

async function readMode(client: Client, projectId: string): Promise<string> {
  const mode = await client.getPrivateIpMode(projectId);
  return mode !== undefined
    ? `private IP mode is ${onOrOff(mode)}`
    : "not readable, because the service only returns it after a change";
}

/** The shell commands that correct the settings, and what the service returned if others are missing. */
interface Recommendation {
  readonly commands?: string[];
  readonly seen?: string;
}

const listNameKeys = [
  "pageParameter",
  "pageSizeParameter",
  "countParameter",
  "countField",
] as const;

/** Looks for the names of lists, without which the guard cannot see that a list is complete. */
async function listRecommendation(
  source: SettingsSource,
  projectId: string | undefined,
  { check, code }: DoctorProblem,
): Promise<Recommendation> {
  if (projectId === undefined || check !== "clusters" || !listProblems.includes(code)) return {};
  const settings = validSettings(source);
  const { names, seen } = await findListNames(settings, projectId);
  const values = new Map<string, string>(Object.entries(names));
  const current = new Map<string, unknown>(Object.entries(settings));
  const commands = [...values].flatMap(([key, value]) =>
    isSettingKey(key) && current.get(key) !== value
      ? [settingCommand(source.owner, key, value)]
      : [],
  );
  if (names.countField !== undefined) {
    const { problem } = await examine(withValues(source, values), projectId);
    if (problem?.check !== "clusters") return { commands };
  }
  const others = listNameKeys
    .filter((key) => names[key] === undefined)
    .map((key) => `clouddb:${key}`);
  const advice = `Set ${others.join(", ")} to the names in the service's documentation.`;
  const finding = forCommand(`${seen} ${advice}`, source.owner.kind === "stack");
  return commands.length === 0 ? { seen: finding } : { commands, seen: finding };
}

/** Returns a source with other values for some settings. */
function withValues(source: SettingsSource, values: ReadonlyMap<string, string>): SettingsSource {
  return { ...source, get: (key) => values.get(key) ?? source.get(key) };
}

/** Looks for a profile without problems. */
async function profileRecommendation(
  source: SettingsSource,
  settings: readonly ReportedSetting[],
  projectId: string | undefined,
  { code }: DoctorProblem,
): Promise<Recommendation | undefined> {
  if (!profileProblems.includes(code)) return undefined;
  for (const name of Object.keys(profiles).filter(isProfileName)) {
    const values = new Map<string, string>([["profile", name], ...Object.entries(profiles[name])]);
    const { problem } = await examine(withValues(source, values), projectId);
    if (problem === undefined) return { commands: commandsFor(source, name, settings) };
  }
  return undefined;
}

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

function report({ settings, ok, problem, recommendation }: Diagnosis, stack?: string): string {
  const [first = "", ...others] = problem?.finding.split("\n") ?? [];
  const rows = [
    ...ok.map(({ check, finding }) => ["ok", check, finding]),
    ...(problem === undefined ? [] : [["problem", problem.check, first]]),
    ...others.map((line) => ["", "", line]),
  ];
  return [
    stack === undefined
      ? "Settings of the environment (--stack NAME also reads the configuration of a stack):"
      : `Settings of the stack ${escapeText(stack)} and of the environment:`,
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
    problem === undefined ? "No problem found." : "Later checks did not run.",
  ].join("\n");
}

function indentedColumns(rows: readonly (readonly string[])[]): string {
  return columns(rows.map((row) => ["", ...row]));
}
