/** `pulumi-clouddb doctor`: prints the settings, and what harmless requests find out about them. */
import { jsonText } from "../messages/text";
import { readProjectId } from "../messages/arguments";
import { ProviderError } from "../messages/errors";
import { type ReportedSetting, readSettings, reportedSettings } from "../settings/readSettings";
import {
  type ProfileName,
  type SettingsSource,
  environmentOnly,
  environmentVariable,
  isProfileName,
  isSettingKey,
  profiles,
} from "../settings/settings";
import { colorWords, columns, defineCommand } from "./command";
import { type Finding, Findings, examine } from "./examination";

export const doctor = defineCommand({
  summary: "check the settings and the service, and say what to change",
  usage: "[--project ID]",
  help: `Usage: pulumi-clouddb doctor [--project ID] [--json]

Prints every setting and where it comes from, then checks them with GET requests, and names what to change for
each problem. Changes nothing: for a service account, it requests a token and revokes it.

  --project ID   also check what resources need of this project
  --json         print the result as one JSON object
  --help         print this help

Settings are read from the provider's environment variables. Settings in the configuration of a stack are not
visible to this command: to check them, set the variables to the same values.

Exit code: 0 no problem found, 1 a problem found, 2 invalid options.`,
  failure: "Could not check the settings",
  options: { project: { type: "string" }, json: { type: "boolean", default: false } },
  async run({ project, json }) {
    const projectId = project === undefined ? undefined : readProjectId(project, "--project");
    const settings = reportedSettings(process.env);
    const checks = await diagnose(environmentOnly, projectId);
    const recommendation = await recommended(settings, checks, projectId);
    const ok = !checks.some(isProblem);
    const result = { ok, settings, checks, recommendation };
    const output = json ? jsonText(result) : report(result);
    return { code: ok ? 0 : 1, output, error: "" };
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

async function diagnose(source: SettingsSource, projectId?: string): Promise<Finding[]> {
  const findings = new Findings();
  try {
    const { client, warnings } = readSettings(source, process.env);
    if (warnings.length === 0) findings.ok("settings", "valid");
    else findings.problem("settings", warnings.join("\n"), variablesIn(warnings.join()));
    return await examine(client, findings, projectId);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    findings.problem("settings", error.message, variablesIn(error.message));
    return findings.all("because of the problem with settings");
  }
}

function variablesIn(message: string): string {
  return [...new Set(message.match(/CLOUDDB_[A-Z_]+|https?_proxy/gi))].join(", ");
}

/** The variables of the settings that a profile sets. */
const profileVariables = Object.keys(profiles.default)
  .filter(isSettingKey)
  .map(environmentVariable);

/** Looks for a profile without problems, if the problems are about settings of a profile. */
async function recommended(
  settings: readonly ReportedSetting[],
  checks: readonly Finding[],
  projectId: string | undefined,
): Promise<string[] | undefined> {
  const isObstacle = (each: Finding) => isProblem(each) && each.check !== "clock";
  const obstacles = checks.filter(isObstacle);
  const isOfProfile = ({ change = "" }: Finding) =>
    profileVariables.some((variable) => change.split("=")[0] === variable);
  if (obstacles.length === 0 || !obstacles.every(isOfProfile)) return undefined;
  for (const name of Object.keys(profiles).filter(isProfileName)) {
    const values = new Map<string, string>([["profile", name], ...Object.entries(profiles[name])]);
    const ofProfile = { ...environmentOnly, get: (key: string) => values.get(key) };
    const found = await diagnose(ofProfile, projectId);
    if (!found.some(isObstacle)) return commandsFor(name, settings);
  }
  return undefined;
}

function commandsFor(name: ProfileName, settings: readonly ReportedSetting[]): string[] {
  const ofProfile = new Map<string, string>(Object.entries(profiles[name]));
  const isOverride = ({ key, value, source }: ReportedSetting) =>
    ofProfile.has(key) && source === "environment" && value !== ofProfile.get(key);
  const current = settings.find(({ key }) => key === "profile")?.value;
  return [
    ...(current === name ? [] : [`export ${environmentVariable("profile")}=${name}`]),
    ...settings.filter(isOverride).map(({ variable }) => `unset ${variable}`),
  ];
}

function report({ settings, checks, recommendation }: Diagnosis): string {
  const problems = checks.filter(isProblem).length;
  const rows = checks.flatMap(({ check, result, finding, change }) => [
    ...finding.split("\n").map((line, at) => (at === 0 ? [result, check, line] : ["", "", line])),
    ...(change === undefined ? [] : [["", "", `Change: ${change}`]]),
  ]);
  return [
    "Settings of the environment (those of a stack's configuration are not visible here):",
    indentColumns(settings.map(({ variable, value = "-", source }) => [variable, value, source])),
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
