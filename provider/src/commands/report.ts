/** `pulumi-clouddb report`: reports a preview that another tool ran, such as pulumi/actions. */
import { escapeText } from "../messages/text";
import { ProviderError } from "../messages/errors";
import { readText } from "../report/files";
import { readInput } from "../report/input";
import { markdown } from "../report/markdown";
import { createReport } from "../report/report";
import { UsageError, defineCommand, success } from "./command";

export const report = defineCommand({
  name: "report",
  summary: "report a preview that another tool ran, as Markdown",
  usage: "FILE ...",
  help: `Usage: pulumi-clouddb report FILE ...

Prints what a preview changes as Markdown. Each FILE is what Pulumi wrote about one stack: the output of pulumi preview
--json, an event log (--event-log, with PULUMI_DEBUG_COMMANDS=true), or in addition that of pulumi stack export. Run it
in the folder of the Pulumi project.

  --help   print this help

Exit code: 0 the preview succeeded, 1 it was refused or failed or a file could not be read, 2 wrong usage.`,
  failure: "Could not create the report",
  takesArguments: true,
  options: {},
  run(_, files) {
    if (files.length === 0) throw new UsageError("pass the files that Pulumi wrote");
    const inputs = files.map((file) => readInput(readText(file), escapeText(file)));
    if (inputs.every(({ kind }) => kind === "stack export"))
      throw new ProviderError("A stack export has no preview. Pass the preview, too.");
    const result = createReport(() => inputs, {});
    const hasFailed = result.outcome === "refused" || result.outcome === "failed";
    return Promise.resolve(success(markdown(result).trimEnd(), hasFailed ? 1 : 0));
  },
});
