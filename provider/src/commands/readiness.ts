/** `pulumi-clouddb readiness`: reports whether private IP mode of a project can be disabled now. */
import { jsonText } from "../messages/text";
import { minimumVersion } from "../privateIpMode/guard";
import { nextSteps, readReadiness, readinessReport } from "../privateIpMode/readiness";
import { affectedReport, findAffected } from "./affectedLookups";
import { commandSession, settingsHelp } from "./commandSettings";
import { colorWords, defineCommand, requiredProject, success } from "./command";

const lookupStep =
  'In the listed lookups of applications in a peered network, set network: { kind: "peering" }.';

export const readiness = defineCommand({
  name: "readiness",
  summary: "report whether private IP mode of a project can be disabled now",
  usage: "--project ID [--stack-export FILE ...]",
  help: `Usage: pulumi-clouddb readiness --project ID [--stack-export FILE ...] [--json]

Reports whether private IP mode of a project can be disabled now: whether every cluster runs version
${minimumVersion} or later. Lists the clusters whose applications in peered networks can break, because they have
legacy strings or no peering-private strings, and the next steps. Changes nothing.

  --project ID         the ID of the project
  --stack-export FILE  list what uses such strings in a stack: lookups, what depends on them, and stack outputs.
                       FILE is the output of pulumi stack export, or - for standard input. Secret values are
                       encrypted in it and cannot be read. May be repeated
  --stack NAME         read the configuration of this stack before the environment, in the program's folder
  --json               print the result as one JSON object
  --help               print this help

${settingsHelp}

Exit code: 0 ready, 1 not ready, 2 could not be determined.`,
  failure: "Could not determine readiness",
  options: {
    project: { type: "string" },
    stack: { type: "string" },
    "stack-export": { type: "string", multiple: true },
    json: { type: "boolean", default: false },
  },
  async run({ project, stack, "stack-export": files = [], json }) {
    const projectId = requiredProject(project);
    const session = await commandSession(stack);
    const result = await readReadiness(session, projectId);
    const stacks = await Promise.all(files.map((file) => findAffected(file, result)));
    const { readiness: base, ...details } = result;
    const steps = [
      ...nextSteps(result),
      ...(stacks.some(({ lookups }) => lookups.length > 0) ? [lookupStep] : []),
    ];
    const lines = [
      ...readinessReport(result),
      ...stacks.flatMap(affectedReport),
      ...(steps.length === 0 ? [] : ["Next steps:", ...steps.map((each) => `  - ${each}`)]),
    ];
    const output = json
      ? jsonText({ ...base, ...details, stacks, nextSteps: steps })
      : colorWords(lines.join("\n"), { Ready: "green", "Not ready": "red" });
    return success(output, base.ready ? 0 : 1);
  },
});
