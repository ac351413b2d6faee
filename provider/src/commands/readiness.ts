/** `pulumi-clouddb readiness`: reports whether private IP mode of a project can be disabled now. */
import { jsonText } from "../messages/text";
import { minimumVersion } from "../privateIpMode/guard";
import { readReadiness, readinessReport } from "../privateIpMode/readiness";
import { openSession } from "../service/session";
import { readSettings } from "../settings/readSettings";
import { environmentOnly } from "../settings/settings";
import { colorWords, defineCommand, errorLog, requiredProject } from "./command";

export const readiness = defineCommand({
  summary: "report whether private IP mode of a project can be disabled now",
  usage: "--project ID",
  help: `Usage: pulumi-clouddb readiness --project ID [--json]

Reports whether private IP mode of a project can be disabled now: whether every cluster runs version
${minimumVersion} or later. Changes nothing.

  --project ID   the ID of the project
  --json         print the result as one JSON object
  --help         print this help

Settings are read from the provider's environment variables: CLOUDDB_BASE_URL, CLOUDDB_CLIENT_ID and
CLOUDDB_CLIENT_SECRET or CLOUDDB_PUBLIC_KEY and CLOUDDB_PRIVATE_KEY, CLOUDDB_CA_FILE, ...

Exit code: 0 ready, 1 not ready, 2 could not be determined.`,
  failure: "Could not determine readiness",
  options: { project: { type: "string" }, json: { type: "boolean", default: false } },
  async run({ project, json }) {
    const projectId = requiredProject(project);
    const session = openSession(readSettings(environmentOnly, process.env), errorLog);
    const result = await readReadiness(session, projectId);
    const output = json
      ? jsonText(result)
      : colorWords(readinessReport(result).join("\n"), { Ready: "green", "Not ready": "red" });
    return { code: result.ready ? 0 : 1, output, error: "" };
  },
});
