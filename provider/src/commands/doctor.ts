/** `pulumi-clouddb doctor`: prints the settings, and checks them with harmless requests until the first problem. */
import { withCode } from "../messages/codes";
import { columns } from "../messages/columns";
import { ProviderError } from "../messages/errors";
import { escapeText, jsonText, onOrOff } from "../messages/text";
import { Client, type ClientSettings } from "../service/client";
import { ApiError, ResponseError, isMissingProject } from "../service/errors";
import { proxyFor } from "../service/proxy";
import { defaultRetryPolicy } from "../service/retry";
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
  type SettingKey,
  type SettingsSource,
  clusterPathList,
  isProfileName,
  profiles,
  settingName,
} from "../settings/settings";
import { version } from "../version";
import {
  colorWords,
  defineCommand,
  errorLog,
  requiredProject,
  success,
  withSettingNames,
} from "./command";
import { settingsSource } from "./commandSettings";

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
    const settings = reportedSettings(source, process.env).filter(isSet);
    const { ok, problem } = await examine(source, projectId);
    const recommendation =
      problem?.isOfProfile === true ? await recommended(source, settings, projectId) : undefined;
    const result = { settings, ok, problem, recommendation };
    const output = json ? jsonText(result) : report(result, stack);
    return success(output, problem === undefined ? 0 : 1);
  },
});

interface Finding {
  readonly check: string;
  /** What was found. Safe to print. */
  readonly finding: string;
}

/** The first problem, which ends the checks. */
class Problem extends Error implements Finding {
  readonly check: string;
  readonly finding: string;
  /** What to change: settings, an option, or something outside this command. */
  readonly change: string;
  /** Whether another profile can solve it. */
  readonly isOfProfile: boolean;

  constructor(check: string, finding: string, change: string, isOfProfile: boolean) {
    super(finding);
    this.check = check;
    this.finding = finding;
    this.change = change;
    this.isOfProfile = isOfProfile;
  }
}

/** What `--json` prints. */
interface Diagnosis {
  readonly settings: readonly ReportedSetting[];
  readonly ok: readonly Finding[];
  readonly problem: Problem | undefined;
  /** Shell commands that make the settings work; undefined if there are none. */
  readonly recommendation: readonly string[] | undefined;
}

function isSet({ source }: ReportedSetting): boolean {
  return source === "stack" || source === "environment";
}

async function examine(
  source: SettingsSource,
  projectId: string | undefined,
): Promise<Pick<Diagnosis, "ok" | "problem">> {
  const checks = new Checks(source);
  try {
    const settings = checks.settings();
    await checks.connection(settings);
    const onWait = (message: string) => void errorLog("progress", message);
    const retryPolicy = { ...defaultRetryPolicy, onWait };
    const client = new Client({ ...settings, retryPolicy });
    try {
      const example = await checks.access(client, settings);
      if (projectId === undefined) {
        checks.found("project", `not checked; pass --project ID${example}`);
      } else await checks.project(client, settings, projectId);
    } finally {
      await client.close();
    }
    checks.clock();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ok: checks.ok, problem: error };
  }
  return { ok: checks.ok, problem: undefined };
}

/** How far the clocks may differ, in seconds. */
const maxDifference = 60;

class Checks {
  readonly ok: Finding[] = [];
  readonly #source: SettingsSource;
  /** How far this machine's clock is ahead of the service's, in seconds. */
  #difference = Number.NaN;

  constructor(source: SettingsSource) {
    this.#source = source;
  }

  found(check: string, finding: string): void {
    this.ok.push({ check, finding: withSettingNames(finding, this.#source.owner) });
  }

  settings(): ClientSettings {
    try {
      const { client, warnings } = readSettings(this.#source, process.env);
      if (warnings.length > 0) throw this.#settingsProblem(warnings.join("\n"));
      this.found("settings", "valid");
      return { ...client, userAgent: `pulumi-clouddb/${version}` };
    } catch (error) {
      if (error instanceof ProviderError) throw this.#settingsProblem(error.message);
      throw error;
    }
  }

  #settingsProblem(message: string): Problem {
    const names = new Set(message.match(/clouddb:\w+|CLOUDDB_[A-Z_]+|https?_proxy/gi));
    return this.#problem("settings", withCode(message, "settings"), [...names].join(", "));
  }

  /** Checks the address, the proxy and the certificate with a request without credentials. */
  async connection(settings: ClientSettings): Promise<void> {
    const { baseUrl, apiPath: path } = settings;
    const proxy = proxyFor(baseUrl, process.env);
    try {
      const { headers } = await httpsTransport(settings)({ method: "GET", path, attempt: 1 });
      const date = Date.parse(headers["date"]?.[0] ?? "");
      this.#difference = Math.round((Date.now() - date) / 1000);
      const route = proxy === undefined ? "" : ` through the proxy ${proxy.origin}`;
      this.found("address", `${baseUrl.origin} responds${route}`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const problem = withCode(error.problem, error.code);
      if (error.code === "certificate") {
        const change = `${this.#names("caFile", "baseUrl")}, or this machine's clock`;
        throw this.#problem("certificate", problem, change);
      }
      throw proxy === undefined
        ? this.#problem("address", problem, this.#names("baseUrl"))
        : this.#problem("proxy", problem, `${proxy.variable}, NO_PROXY`);
    }
  }

  /**
   * Checks the credentials and apiPath with the list of projects and the root of the API, either of which a service
   * may lack. Returns the ID of a project as an example, for a message.
   */
  async access(client: Client, settings: ClientSettings): Promise<string> {
    const projects = await client.listProjects().catch(async (error: unknown) => {
      if (await this.#requested("access", settings, () => client.isApiRootValid()))
        return undefined;
      throw this.#failure("access", settings, error);
    });
    const { apiPath, credentials } = settings;
    this.found("access", `the ${principals[credentials.kind].label} is accepted at ${apiPath}`);
    const id = projects?.entities[0]?.id;
    return id === undefined ? "" : `, such as ${escapeText(id, 100)}`;
  }

  /** Checks what resources and functions need of a project. */
  async project(client: Client, settings: ClientSettings, projectId: string): Promise<void> {
    const list = await this.#requested("clusters", settings, () =>
      client.listClusters(projectId, { verifyEnd: true }),
    );
    if (list.incomplete !== undefined) {
      const problem = `${list.incomplete}. Lookups of listed clusters work, but private IP mode cannot be disabled.`;
      throw this.#problem("clusters", withCode(problem, "incomplete-list"), noSetting);
    }
    const names = list.clusters.map(({ name }) => name);
    await this.#otherPaths(settings, projectId, new Set(names));
    this.found("clusters", `${names.length} at ${list.paths.join(", ")}`);
    const field = `${settings.fieldPrefix}Version`;
    if (names.length > 0 && list.clusters.every((each) => each.version === undefined)) {
      const problem = withCode(`no cluster has a field ${field}`, "doctor");
      throw this.#problem("versions", problem, this.#names("fieldPrefix"), true);
    }
    if (names.length > 0) this.found("versions", `${field} is present`);
    const mode = await this.#requested("mode", settings, () => client.getPrivateIpMode(projectId));
    this.found(
      "mode",
      mode === undefined
        ? "not readable, because the service only returns it after a change"
        : `private IP mode is ${onOrOff(mode)}`,
    );
  }

  /** Looks for further lists of clusters. Without their path, the guard would miss their clusters. */
  async #otherPaths(
    settings: ClientSettings,
    projectId: string,
    known: ReadonlySet<string>,
  ): Promise<void> {
    const read = settings.clusterPaths.map(({ name }) => name);
    const all = Object.values(profiles).flatMap((each) => clusterPathList(each.clusterPaths));
    const others = [...new Set(all.map(({ name }) => name))].filter((name) => !read.includes(name));
    for (const name of others) {
      const client = new Client({ ...settings, clusterPaths: [{ name, isOptional: true }] });
      try {
        const { clusters } = await client.listClusters(projectId);
        if (clusters.every((each) => known.has(each.name))) continue;
        const problem = withCode(`the service lists more clusters at ${name}`, "doctor");
        throw this.#problem(
          "clusters",
          problem,
          `${this.#names("clusterPaths")}: add ${name}`,
          true,
        );
      } catch (error) {
        // The service does not have the path.
        if (!(error instanceof ApiError)) throw error;
      } finally {
        await client.close();
      }
    }
  }

  clock(): void {
    const seconds = Math.abs(this.#difference);
    if (Number.isNaN(seconds)) return;
    const side = this.#difference < 0 ? "behind" : "ahead of";
    const finding = `this machine's clock is ${seconds} s ${side} the service's clock`;
    if (seconds <= maxDifference) this.found("clock", finding);
    else throw this.#problem("clock", withCode(finding, "doctor"), "this machine's clock");
  }

  async #requested<T>(check: string, settings: ClientSettings, send: () => Promise<T>): Promise<T> {
    return await send().catch((error: unknown) => {
      throw this.#failure(check, settings, error);
    });
  }

  #failure(check: string, { credentials }: ClientSettings, error: unknown): unknown {
    if (!(error instanceof ApiError)) return error;
    const { label, keys } = principals[credentials.kind];
    const problem = withCode(error.message, error.code);
    const of = (change: string, isOfProfile = false) =>
      this.#problem(check, problem, change, isOfProfile);
    const isToken = error.method === "POST";
    const { status = 0, errorCode = "" } = error instanceof ResponseError ? error : {};
    if (status >= 300 && status < 400) return of(this.#names("baseUrl"));
    switch (error.code) {
      case "access-list":
        return of(`the API access list of the ${label}`);
      case "authentication":
        return of(
          isToken || check === "access" ? this.#names(...keys) : `the roles of the ${label}`,
        );
      case "forbidden":
        return of(`the roles of the ${label}`);
      case "media-type":
        return of(this.#names(isToken ? "tokenPath" : "mediaType"), true);
      case "not-found":
      case "method-not-allowed":
      case "malformed-response":
        if (isToken) return of(this.#names("tokenPath"), true);
        if (check === "access") return of(this.#names("apiPath"), true);
        return isMissingProject(errorCode)
          ? of("--project")
          : of(this.#names("clusterPaths"), true);
      default:
        return of("no setting; try again later");
    }
  }

  #problem(check: string, finding: string, change: string, isOfProfile = false): Problem {
    const named = withSettingNames(finding, this.#source.owner);
    return new Problem(check, named, change, isOfProfile);
  }

  /** Returns the names of settings, as their owner sets them. */
  #names(...keys: readonly SettingKey[]): string {
    return keys.map((key) => settingName(this.#source.owner, key)).join(", ");
  }
}

/** The name of each kind of credentials in messages, and its settings. */
const principals = {
  apiKey: { label: "API key", keys: ["publicKey", "privateKey"] },
  serviceAccount: { label: "service account", keys: ["clientId", "clientSecret"] },
  accessToken: { label: "access token", keys: ["accessToken"] },
} as const;

const noSetting =
  "no setting; see https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/reference/service-differences.md";

/** Looks for a profile without problems. */
async function recommended(
  source: SettingsSource,
  settings: readonly ReportedSetting[],
  projectId: string | undefined,
): Promise<string[] | undefined> {
  for (const name of Object.keys(profiles).filter(isProfileName)) {
    const values = new Map<string, string>([["profile", name], ...Object.entries(profiles[name])]);
    const ofProfile = { ...source, get: (key: SettingKey) => values.get(key) ?? source.get(key) };
    const { problem } = await examine(ofProfile, projectId);
    if (problem === undefined) return commandsFor(source, name, settings);
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
      ...(process.env[variable] ? [`unset ${variable}`] : []),
    ]),
  ];
}

function report({ settings, ok, problem, recommendation }: Diagnosis, stack?: string): string {
  const rows = [
    ...ok.map(({ check, finding }) => ["ok", check, finding]),
    ...(problem === undefined ? [] : problemRows(problem, recommendation !== undefined)),
  ];
  return [
    stack === undefined
      ? "Settings of the environment (--stack NAME also reads the configuration of a stack):"
      : `Settings of the stack ${escapeText(stack)} and of the environment:`,
    indentedColumns(
      settings.map(({ key, variable, value = "-", source }) => [
        source === "stack" ? `clouddb:${key}` : variable,
        value,
        source === "stack" && process.env[variable] ? `stack; ${variable} is ignored` : source,
      ]),
    ),
    "Checks:",
    colorWords(indentedColumns(rows), { ok: "green", problem: "red" }),
    ...(recommendation
      ? ["Recommended settings:", indentedColumns(recommendation.map((each) => [each]))]
      : []),
    problem === undefined ? "No problem found." : "Later checks did not run.",
  ].join("\n");
}

/** The recommended settings replace the change. */
function problemRows({ check, finding, change }: Problem, isReplaced: boolean): string[][] {
  const lines = [...finding.split("\n"), ...(isReplaced ? [] : [`Change: ${change}`])];
  return lines.map((line, at) => (at === 0 ? ["problem", check, line] : ["", "", line]));
}

function indentedColumns(rows: readonly (readonly string[])[]): string {
  return columns(rows.map((row) => ["", ...row]));
}
