/** `pulumi-clouddb doctor`: prints the settings, what the checks found, and a project's clusters. */
import type { ListedCluster } from "../clusterConnectionStrings/outputs";
import type { Code } from "../messages/errors";
import { columns } from "../messages/format";
import { unsetVariable } from "../messages/recommendations";
import { argumentProblem, escapeText, jsonText } from "../messages/text";
import { differencesPage } from "../service/paging";
import {
  type ReportedSetting,
  printedValue,
  removalCommand,
  reportedSettings,
  settingCommand,
} from "../settings/readSettings";
import {
  type ProfileName,
  type SettingsSource,
  isProfileName,
  profiles,
} from "../settings/settings";
import { projectIdSchema } from "../validation/arguments";
import { UsageError, commandSettings, defineCommand, rejectCredentials, success } from "./command";
import { type Finding, type Findings, type Problem, runChecks } from "./doctorChecks";

export const doctor = defineCommand({
  name: "doctor",
  summary: "check the settings and the service, and say what to change",
  usage: "[--project ID] [--stack NAME]",
  help: `Usage: pulumi-clouddb doctor [--project ID] [--stack NAME] [--json]

Prints the settings that are set and where they come from, then checks them with GET requests, and names what to
change. Changes nothing. For a service account, it requests a token and revokes it.

  --project ID   also check what resources need of this project, list its clusters, and say whether private IP mode
                 is on and could be disabled now, which does not affect the exit code
  --stack NAME   read the configuration of this stack before the environment, with pulumi config. Run the
                 command in the program's folder
  --json         print the result as one JSON object. With --project, it has mode (on, off or unknown), disable
                 (allowed or refused; absent if the mode is off) and clusters, with every string, as getClusters
                 returns them
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
    const projectId = project === undefined ? undefined : readProjectId(project);
    const source = await commandSettings(stack);
    rejectCredentials({ project }, [], source);
    const settings = reportedSettings(source, process.env);
    const { ok, notes, warnings, problems, project: found } = await runChecks(source, projectId);
    const recommendation = await profileRecommendation(source, settings, projectId, problems);
    // Only here, because the recommendation compares the values.
    const printed = settings.map((setting) => ({ ...setting, value: printedValue(setting) }));
    const result = { settings: printed, ok, notes, warnings, problems, recommendation, ...found };
    const output = json ? jsonText(result) : diagnosisText(result, stack);
    return success(output, problems.length === 0 ? 0 : 1);
  },
});

/** Checks the value of `--project`. */
function readProjectId(project: string): string {
  const { data, error } = projectIdSchema.safeParse(project);
  if (error === undefined) return data;
  const problem = error.issues[0]?.message ?? "is invalid";
  throw new UsageError(argumentProblem("--project", problem));
}

/** What the command prints. The values of settings that are secrets are replaced. */
interface Diagnosis extends Pick<Findings, "ok" | "notes" | "warnings" | "problems"> {
  readonly settings: readonly (Omit<ReportedSetting, "value"> & { readonly value: string })[];
  readonly recommendation: readonly string[] | undefined;
  readonly clusters?: readonly ListedCluster[];
}

/** The codes of problems that another profile can solve. */
const profileProblems: readonly Code[] = [
  "media-type",
  "not-found",
  "method-not-allowed",
  "malformed-response",
  "doctor",
];

/** The codes of problems that other settings can solve. */
const settingsProblems: readonly Code[] = [...profileProblems, "incomplete-list"];

const codesPage =
  "https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/reference/errors.md#codes";

/** Looks for a profile without problems but misspelled names. Returns the shell commands that select it. */
async function profileRecommendation(
  source: SettingsSource,
  settings: readonly ReportedSetting[],
  projectId: string | undefined,
  problems: readonly Problem[],
): Promise<string[] | undefined> {
  if (!problems.some(({ code }) => profileProblems.includes(code))) return undefined;
  for (const name of Object.keys(profiles).filter(isProfileName)) {
    const values = new Map([["profile", name], ...triedSettings(name, settings)]);
    const { problems: others } = await runChecks(
      { ...source, get: (key) => values.get(key) ?? source.get(key) },
      projectId,
    );
    if (others.every(({ check }) => check === "names")) return commandsFor(source, name, settings);
  }
  return undefined;
}

/** Returns the settings of a profile. The client secret is sent to no other path than one that is set. */
function triedSettings(
  name: ProfileName,
  settings: readonly ReportedSetting[],
): [key: string, value: string][] {
  const isPathSet = settings.some(({ key }) => key === "tokenPath");
  return Object.entries(profiles[name]).filter(([key]) => key !== "tokenPath" || !isPathSet);
}

/** Returns the commands that select a profile, and remove the settings that override it. */
function commandsFor(
  { owner }: SettingsSource,
  name: ProfileName,
  settings: readonly ReportedSetting[],
): string[] {
  const ofProfile = new Map(triedSettings(name, settings));
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

/** Writes the settings, the clusters, the findings and the recommendation as text. */
function diagnosisText(diagnosis: Diagnosis, stack: string | undefined): string {
  const { settings, clusters = [], recommendation, problems } = diagnosis;
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
    ...(clusters.length === 0
      ? []
      : ["Clusters and their strings:", indentedColumns(clusters.flatMap(clusterRows))]),
    "Checks:",
    indentedColumns(findingRows(diagnosis)),
    ...(recommendation
      ? ["Recommended settings:", indentedColumns(recommendation.map((line) => [line]))]
      : []),
    problems.length === 0
      ? "No problem found."
      : `${problems.length} ${problems.length === 1 ? "problem" : "problems"} found. ${linkFor(problems)}`,
  ].join("\n");
}

/** Names the page about the problems, which is about the codes unless other settings can solve one. */
function linkFor(problems: readonly Problem[]): string {
  const isDifferent = problems.some(({ code }) => settingsProblems.includes(code));
  return isDifferent
    ? `The settings of other services: ${differencesPage}`
    : `What the codes mean: ${codesPage}`;
}

/** Returns a row with the version and the kinds of strings of a cluster, and one for each of its private endpoints. */
function clusterRows(cluster: ListedCluster): string[][] {
  const { name, state, databaseVersion = "-", privateEndpoints, ...strings } = cluster;
  const kinds = Object.keys(strings).join(", ");
  return [
    [escapeText(name, 100), escapeText(databaseVersion, 100), kinds || "-"],
    ...privateEndpoints.map((endpoint) => ["", "", endpointText(endpoint)]),
  ];
}

function endpointText(endpoint: ListedCluster["privateEndpoints"][number]): string {
  const { region = "region unknown", regions = [region] } = endpoint;
  const forms = (["hosts", "srv", "optimizedSrv"] as const).filter((form) => form in endpoint);
  const ids = escapeText(endpoint.endpointIds.join(", ") || "without ID");
  return `private endpoint ${ids} (${escapeText(regions.join(", "))}): ${forms.join(", ")}`;
}

/** Returns the rows of all findings. Further lines of a finding continue its column. */
function findingRows({ ok, notes, warnings, problems }: Diagnosis): string[][] {
  const rowsOf = (kind: string, findings: readonly Finding[]) =>
    findings.flatMap(({ check, finding }) => {
      const [first = "", ...others] = finding.split("\n");
      return [[kind, check, first], ...others.map((line) => ["", "", line])];
    });
  return [
    ...rowsOf("ok", ok),
    ...rowsOf("note", notes),
    ...rowsOf("warning", warnings),
    ...rowsOf("problem", problems),
  ];
}

function indentedColumns(rows: readonly (readonly string[])[]): string {
  return columns(rows.map((row) => ["", ...row]));
}
