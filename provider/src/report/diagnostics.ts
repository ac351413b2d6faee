/** Finds what a preview says: each error, warning and line of output once, with its resource, and without secrets. */
import { stripVTControlCharacters } from "node:util";
import { codesIn } from "../messages/errors";
import type { Diagnostic } from "./eventLog";
import type { Message } from "./model";
import { type Position, label, nameOf, positionIn, withoutSecrets } from "./resources";

interface Printed {
  readonly exitCode: number;
  readonly log?: string | undefined;
  readonly folder: string;
}

/** Reads the diagnostics of a preview. If it failed without one, the cause is in what Pulumi printed. */
export function readMessages(
  diagnostics: readonly Diagnostic[],
  { exitCode, log = "", folder }: Printed,
  declarationOf: (urn: string) => Position | undefined,
) {
  const of = (severity: Diagnostic["severity"]) => {
    const found = new Map<string, Message>();
    for (const { urn, isNonFatal, ...diagnostic } of diagnostics) {
      const text = withoutSecrets(stripEnginePrefix(diagnostic.text));
      if (diagnostic.severity !== severity || found.has(text)) continue;
      const isAbout = urn !== undefined && !isAboutSettings(text);
      found.set(text, {
        resource: isAbout ? label(nameOf(urn)) : undefined,
        text,
        position: isAbout ? declarationOf(urn) : positionOf(text, folder),
        isNonFatal,
      });
    }
    return [...found.values()];
  };
  const all = [
    ...withoutShutdown(of("info").map(({ text }) => text)),
    withoutSecrets(stripVTControlCharacters(log).trim()),
  ];
  const printed = all.filter((text) => text !== "");
  const reported = of("error");
  const causes = exitCode !== 0 && reported.length === 0 ? causesIn(printed) : [];
  const errors: Message[] = [
    ...reported,
    ...causes.map((text) => ({ resource: undefined, text, position: positionOf(text, folder) })),
  ];
  return {
    errors: errors.length > 1 ? errors.filter(({ text }) => !withoutCause.includes(text)) : errors,
    warnings: of("warning"),
    output: printed.filter((text) => !causes.includes(text.replace(/^error: /, ""))),
  };
}

/** Removes the stack trace that the SDK prints if the engine of a failed preview ends before the program. */
function withoutShutdown(lines: readonly string[]): readonly string[] {
  const start = lines.indexOf("failed to deliver log message.");
  const end = lines.indexOf("message severity: error") + 1;
  // The engine is ending, or has ended.
  const isShutdown = / 14 UNAVAILABLE: (?:resource monitor shut down|connection error)/.test(
    lines.slice(start, end).join(),
  );
  return isShutdown ? [...lines.slice(0, start), ...lines.slice(end)] : lines;
}

/** What the engine reports beside the cause: that the program's process ended, and that a refresh failed. */
const withoutCause = ["error reading from server: EOF", "preview failed"];

/** Returns what follows `error: `, each until the next message. Without one, all that was printed is the cause. */
function causesIn(printed: readonly string[]): readonly string[] {
  const messages = printed.flatMap((text) => text.split(/^(?=(?:error|warning): )/m));
  const errors = messages.flatMap((message) => /^error: ([^]*)/.exec(message)?.[1]?.trim() ?? []);
  const causes = errors.filter((text) => !withoutCause.includes(text));
  return causes.length === 0 ? printed : causes;
}

function isAboutSettings(text: string): boolean {
  return codesIn(text).includes("settings") || isAboutCredentials(text);
}

export function isAboutCredentials(text: string): boolean {
  return codesIn(text).some((code) => code === "authentication" || code === "access-list");
}

/** Finds the line of the program in the stack trace of an error, or in an error of the TypeScript compiler. */
function positionOf(text: string, folder: string): Position | undefined {
  const places = [
    ...text.matchAll(/^ +at (?:.*\()?(?:file:\/\/)?([^()\n]+):(\d+):\d+\)?$/gm),
    ...text.matchAll(/^([^()\n]+)\((\d+),\d+\): error TS/gm),
  ];
  const frames = places.map(([, file = "", line]) => ({ file, line: Number(line) }));
  return positionIn(
    folder,
    frames.filter(({ file }) => /^(?!node:).*\.[cm]?[jt]sx?$/.test(file)),
  );
}

/** Removes what the engine puts before a check failure, because the resource is shown beside it. */
function stripEnginePrefix(text: string): string {
  const [start = ""] = /^\S+ resource '/.exec(text) ?? [];
  const [end = ""] = start === "" ? [] : (/['}] has a problem: /.exec(text) ?? []);
  return end === "" ? text : text.slice(text.indexOf(end) + end.length);
}
