/** `pulumi-clouddb readiness`: reports whether private IP mode of a project can be disabled now. */
import { jsonText } from "../messages/text";
import { minimumVersion } from "../privateIpMode/guard";
import { nextSteps, readReadiness, readinessReport } from "../privateIpMode/readiness";
import { commandSession, settingsHelp } from "./commandSettings";
import { defineCommand, requiredProject, success, withSettingNames } from "./command";

export const readiness = defineCommand({
  name: "readiness",
  summary: "report whether private IP mode of a project can be disabled now",
  usage: "--project ID [--stack NAME]",
  help: `Usage: pulumi-clouddb readiness --project ID [--stack NAME] [--json]

Reports whether private IP mode of a project can be disabled now: whether every cluster runs version
${minimumVersion} or later. Lists the next steps, and the clusters with legacy strings, because applications in
peered networks that use them can break. Changes nothing.

  --project ID   the ID of the project
  --stack NAME   read the configuration of this stack before the environment, in the program's folder
  --json         print the result as one JSON object
  --help         print this help

${settingsHelp}

Exit code: 0 ready, 1 not ready or not known, 2 wrong usage.`,
  failure: "Could not determine readiness",
  options: {
    project: { type: "string" },
    stack: { type: "string" },
    json: { type: "boolean", default: false },
  },
  async run({ project, stack, json }) {
    const projectId = requiredProject(project);
    const session = await commandSession(stack);
    const result = await readReadiness(session, projectId);
    const { readiness: base, ...details } = result;
    const owner = { kind: stack === undefined ? "environment" : "stack" } as const;
    const steps = nextSteps(result).map((step) => withSettingNames(step, owner));
    const lines = [
      ...readinessReport(result),
      ...(steps.length === 0 ? [] : ["Next steps:", ...steps.map((each) => `  - ${each}`)]),
    ];
    const output = json ? jsonText({ ...base, ...details, nextSteps: steps }) : lines.join("\n");
    return success(output, base.ready ? 0 : 1);
  },
});
