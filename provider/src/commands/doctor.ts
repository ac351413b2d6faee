/** `pulumi-clouddb doctor`: prints the settings, and what harmless requests find out about them. */
import { withCode } from "../messages/codes";
import { escapeText, jsonText } from "../messages/text";
import { readProjectId } from "../messages/arguments";
import { ProviderError } from "../messages/errors";
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
  isProfileName,
  isSettingKey,
  profiles,
  settingName,
} from "../settings/settings";
import { colorWords, columns, defineCommand, success } from "./command";
import { settingsSource } from "./commandSettings";
import { type Finding, Findings, examine } from "./examination";

export const doctor = defineCommand({
  name: "doctor",
  summary: "check the settings and the service, and say what to change",
  usage: "[--project ID] [--stack NAME]",
  help: `Usage: pulumi-clouddb doctor [--project ID] [--stack NAME] [--json]

Prints every setting and where it comes from, then checks them with GET requests, and names what to change for
each problem. Changes nothing. For a service account, it requests a token and revokes it.

  --project ID   also check what resources need of this project
  --stack NAME   read the configuration of this stack before the environment, with pulumi config. Run the
                 command in the program's folder
  --json         print the result as one JSON object
  --help         print this help

Settings are read from the provider's environment variables and, with --stack, from the stack's configuration.
Those of a clouddb.Provider in the program are not visible to this command.

Exit code: 0 no problem found, 1 a problem found, 2 invalid options or no such stack.`,
  failure: "Could not check the settings",
  options: {
    project: { type: "string" },
    stack: { type: "string" },
    json: { type: "boolean", default: false },
  },
  async run({ project, stack, json }) {
    const projectId = project === undefined ? undefined : readProjectId(project, "--project");
    const source = await settingsSource(stack);
    const settings = reportedSettings(source, process.env);
    const checks = await diagnose(source, projectId);
    const recommendation = await recommended(source, settings, checks, projectId);
    const ok = !checks.some(isProblem);
    const result = { ok, settings, checks, recommendation };
    const output = json ? jsonText(result) : report(result, stack);
    return success(output, ok ? 0 : 1);
  },
});

/** What `--json` prints. */
interface Diagnosis {
  readonly ok: boolean;
  readonly settings: readonly ReportedSetting[];
  readonly checks: readonly Finding[];
  /** Shell commands that make the settings work; undefined if there are none. */
  readonly recommendation: readonly string[] | undefined;
}

function isProblem({ result }: Finding): boolean {
  return result === "problem";
}

/** Returns whether settings must change because of a finding. */
function isObstacle(finding: Finding): boolean {
  return isProblem(finding) && finding.check !== "clock";
}

async function diagnose(source: SettingsSource, projectId?: string): Promise<Finding[]> {
  const findings = new Findings(source.owner);
  try {
    const { client, warnings } = readSettings(source, process.env);
    if (warnings.length === 0) findings.ok("settings", "valid");
    else {
      const problem = withCode(warnings.join("\n"), "settings");
      findings.problem("settings", problem, namesIn(problem));
    }
    return await examine(client, findings, projectId);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    findings.problem("settings", withCode(error.message, error.code), namesIn(error.message));
    return findings.all("because of the problem with settings");
  }
}

function namesIn(message: string): string {
  return [...new Set(message.match(/clouddb:\w+|CLOUDDB_[A-Z_]+|https?_proxy/gi))].join(", ");
}

/** The settings that a profile sets, and the profile itself. */
const profileKeys = ["profile", ...Object.keys(profiles.default)].filter(isSettingKey);

/** Looks for a profile without problems, if the problems are about settings of a profile. */
async function recommended(
  source: SettingsSource,
  settings: readonly ReportedSetting[],
  checks: readonly Finding[],
  projectId: string | undefined,
): Promise<string[] | undefined> {
  const obstacles = checks.filter(isObstacle);
  const isOfProfile = ({ change = "" }: Finding) =>
    profileKeys.some((key) => change.split("=")[0] === settingName(source.owner, key));
  if (obstacles.length === 0 || !obstacles.every(isOfProfile)) return undefined;
  for (const name of Object.keys(profiles).filter(isProfileName)) {
    const values = new Map<string, string>([["profile", name], ...Object.entries(profiles[name])]);
    const ofProfile = { ...source, get: (key: SettingKey) => values.get(key) ?? source.get(key) };
    const found = await diagnose(ofProfile, projectId);
    if (!found.some(isObstacle)) return commandsFor(source, name, settings);
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
    ({ key, value, source }) =>
      ofProfile.has(key) &&
      (source === "stack" || source === "environment") &&
      value !== ofProfile.get(key),
  );
  const current = settings.find(({ key }) => key === "profile")?.value;
  return [
    ...(current === name ? [] : [settingCommand(owner, "profile", name)]),
    ...overrides.flatMap(({ key, variable, source }) => [
      ...(source === "stack" ? [removalCommand(owner, key)] : []),
      ...(process.env[variable] ? [`unset ${variable}`] : []),
    ]),
  ];
}

function report({ settings, checks, recommendation }: Diagnosis, stack?: string): string {
  const problems = checks.filter(isProblem).length;
  const rows = checks.flatMap((each) => {
    const { check, result, finding, change } = each;
    // The recommended settings replace the changes, each of which solves only one problem.
    const isReplaced = recommendation !== undefined && isObstacle(each);
    return [
      ...finding.split("\n").map((line, at) => (at === 0 ? [result, check, line] : ["", "", line])),
      ...(change === undefined || isReplaced ? [] : [["", "", `Change: ${change}`]]),
    ];
  });
  return [
    stack === undefined
      ? "Settings of the environment (--stack NAME also reads the configuration of a stack):"
      : `Settings of the stack ${escapeText(stack)} and of the environment:`,
    indentColumns(
      settings.map(({ key, variable, value = "-", source }) => [
        source === "stack" ? `clouddb:${key}` : variable,
        value,
        source === "stack" && process.env[variable] ? `stack; ${variable} is ignored` : source,
      ]),
    ),
    "Checks:",
    colorWords(indentColumns(rows), { ok: "green", problem: "red", skipped: "yellow" }),
    ...(recommendation
      ? ["Recommended settings:", indentColumns(recommendation.map((each) => [each]))]
      : []),
    problems === 0 ? "No problem found." : `Problems found: ${problems}.`,
  ].join("\n");
}

function indentColumns(rows: readonly (readonly string[])[]): string {
  return columns(rows.map((row) => ["", ...row]));
}
