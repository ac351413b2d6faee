/** `pulumi-clouddb report`: reports a preview that another tool ran, such as pulumi/actions. */
import { escapeText } from "../messages/text";
import { readEventLog } from "../report/read/eventLog";
import { readTextFile } from "../report/read/files";
import { markdown } from "../report/write/markdown";
import { buildReport, isFailure } from "../report/decide/buildReport";
import { readStackExport, withPresentFrames } from "../report/read/stackExport";
import { environmentSecrets } from "../settings/readSettings";
import { UsageError, defineCommand, success } from "./command";

export const report = defineCommand({
  name: "report",
  summary: "report a preview that another tool ran, as Markdown",
  usage: "EVENTS [STATE]",
  help: `Usage: pulumi-clouddb report EVENTS [STATE]

Prints what a preview changes as Markdown. EVENTS is a file with the events of the preview, one JSON object per line.
pulumi preview --json and pulumi refresh --preview-only --json print them with
PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true, and the Automation API passes them to onEvent. STATE is the output of pulumi
stack export, and shows what receives a changed string. Run the command in the folder of the Pulumi project.

  --help   print this help

Exit code: 0 the preview succeeded, 1 it was refused or failed or a file could not be read, 2 wrong usage.`,
  failure: "Could not create the report",
  takes: "files",
  options: {},
  run(_, [events, state, ...excess]) {
    if (events === undefined || excess.length > 0)
      throw new UsageError("pass the event log of a preview and, optionally, a stack export");
    const result = buildReport({
      preview: readEventLog(readTextFile(events), escapeText(events)),
      secrets: environmentSecrets(process.env),
      state:
        state === undefined
          ? undefined
          : withPresentFrames(
              readStackExport(readTextFile(state), escapeText(state)),
              process.cwd(),
            ),
    });
    return Promise.resolve(success(markdown(result).trimEnd(), isFailure(result) ? 1 : 0));
  },
});
