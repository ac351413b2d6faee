/** Writes a report as annotations of GitHub and as a code quality report of GitLab. */
import { createHash } from "node:crypto";
import { escapeText, jsonText } from "../messages/text";
import type { Message, Report } from "./model";
import { preventing } from "./verdict";

/** How many lines of a message are shown, and how long each may be. The report has all of it. */
const [maxLines, lineLimit] = [4, 300];

/** One finding at a place in the program, for annotations and code quality reports. */
interface Finding {
  readonly level: "error" | "warning" | "notice";
  readonly title: string;
  readonly text: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
}

function findings(report: Report, folder: string): Finding[] {
  const at = ({ position }: Pick<Message, "position">) => ({
    file: position && (folder === "" ? position.file : `${folder}/${position.file}`),
    line: position?.line,
  });
  const messages = (level: Finding["level"], all: readonly Message[]) =>
    all.map((each) => ({
      level,
      title: each.resource ?? "pulumi preview",
      text: each.text.split("\n").slice(0, maxLines).join("\n"),
      ...at(each),
    }));
  const refusals = report.refusals.map((each) => ({
    ...each,
    text: `private IP mode cannot be disabled; ${preventing(each)}\n${each.advice}`,
  }));
  const errors = [...refusals, ...report.errors];
  const unexplained = { resource: undefined, text: report.verdict, position: undefined };
  const isUnexplained = report.outcome === "failed" && errors.length === 0;
  const notices = report.changes.map((change): Finding => {
    const { type, name, op, from = "(none)", to = "(none)" } = change;
    const text = `${op} ${type} ${name}: ${from} → ${to}`;
    return { level: "notice", title: `${type} ${name}`, text, ...at(change) };
  });
  return [
    ...messages("error", isUnexplained ? [unexplained] : errors),
    ...messages("warning", report.warnings),
    ...notices,
  ];
}

/**
 * Writes annotations, which GitHub reads from the output of a step.
 *
 * @param report what to annotate
 * @param folder of the Pulumi project in the repository, without slashes at its ends; empty for its root
 */
export function githubAnnotations(report: Report, folder: string): string {
  const data = (text: string) =>
    text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const value = (text: string) => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const all = findings(report, folder).map(({ level, title, text, file, line }) => {
    const lines = text.split("\n").map((each) => escapeText(each, lineLimit));
    const place = file === undefined ? "" : `file=${value(escapeText(file))},line=${line ?? 1},`;
    return `::${level} ${place}title=${value(escapeText(title))}::${data(lines.join("\n"))}`;
  });
  return all.join("\n");
}

/** Writes a code quality report, which GitLab shows in a merge request. */
export function gitlabCodeQuality(report: Report, folder: string): string {
  const severities = { error: "blocker", warning: "major", notice: "info" } as const;
  const all = findings(report, folder).map(({ level, title, text, file, line }) => ({
    description: escapeText(text.replaceAll("\n", " "), lineLimit),
    check_name: `pulumi-clouddb ${level}`,
    fingerprint: createHash("sha256")
      .update(JSON.stringify([report.title, title, text]))
      .digest("hex"),
    severity: severities[level],
    location: {
      path: file ?? (folder === "" ? "Pulumi.yaml" : `${folder}/Pulumi.yaml`),
      lines: { begin: line ?? 1 },
    },
  }));
  return jsonText(all);
}
