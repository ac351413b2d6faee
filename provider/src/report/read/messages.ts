/**
 * Collects what a preview said: each error, warning and line of output once, with its resources, and without secrets.
 */
import { relative, resolve, sep } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Code } from "../../messages/errors";
import { redactedLines } from "../../messages/text";
import { grouped } from "../groups";
import type { Message, Place, Position } from "../model";
import { label, parseUrn } from "../resourceNames";
import { withoutSecrets } from "../values";
import { type Diagnostic, messageStart, withoutVerboseLog } from "./diagnostics";
import type { StateResource } from "./stackExport";

/** What messages are built of, besides the events. */
export interface MessageInput {
  /** The resources in the state, which say what receives a string, and where each is declared. Default: unknown */
  readonly state?: readonly StateResource[] | undefined;
  /** The exit code of `pulumi preview`. Any but 0 makes the outcome a failure. */
  readonly exitCode?: number | undefined;
  /** What Pulumi printed to standard error. */
  readonly log?: string | undefined;
  /** The secrets of this command, which no message may contain. Default: none */
  readonly secrets?: readonly string[] | undefined;
  /** The folder of the Pulumi project, which the stack traces of its program name. Default: the current one */
  readonly folder?: string | undefined;
}

/** Returns the messages of a preview. If it failed without a cause among its events, the cause is in its log. */
export function readMessages(diagnostics: readonly Diagnostic[], input: MessageInput) {
  const { state = [], exitCode = 0, log = "", folder = process.cwd(), secrets = [] } = input;
  const hide = (text: string) => redactedLines(withoutSecrets(text), secrets);
  const frames = new Map(state.map((resource) => [resource.urn, resource.frames]));
  const shown = diagnostics.map((diagnostic) => {
    const message = { ...diagnostic, text: hide(stripEnginePrefix(diagnostic.text)) };
    return { ...message, place: placeOf(message, folder, frames) };
  });
  const messagesWith = (severity: Diagnostic["severity"]) =>
    merged(shown.filter((diagnostic) => diagnostic.severity === severity));
  const [reported, warnings] = [messagesWith("error"), messagesWith("warning")];
  const said = new Set([...reported, ...warnings].map(({ text }) => text));
  const logged = messagesInLog(hide(withoutVerboseLog(stripVTControlCharacters(log)))).filter(
    (text) => !said.has(withoutSeverity(text)),
  );
  const lines = withoutShutdown(messagesWith("info").map(({ text }) => text));
  if (exitCode === 0 || !reported.every(isConsequence)) {
    const others = logged.filter((text) => !consequence.test(withoutSeverity(text)));
    return { errors: withoutConsequences(reported), warnings, output: [...lines, ...others] };
  }
  const causes = logged.filter((text) => text.startsWith("error: "));
  const rest = [...lines, ...logged.filter((text) => !causes.includes(text))];
  // Without any error, all that was printed is the cause.
  const isCause = reported.length + causes.length === 0 && rest.length > 0;
  const printed = isCause ? [rest.join("\n")] : causes.map(withoutSeverity);
  const errors = printed.map((text) => ({ text, places: [placeIn(text, folder)] }));
  return {
    errors: withoutConsequences([...reported, ...errors]),
    warnings,
    output: isCause ? [] : rest,
  };
}

/** Makes one message of those with the same text, such as that of each resource about a process that ended. */
function merged(diagnostics: readonly (Diagnostic & { readonly place: Place })[]): Message[] {
  const groups = grouped(diagnostics.map((each) => [JSON.stringify([each.text, each.code]), each]));
  return Array.from(groups.values(), (group) => {
    const [{ text, code }] = group;
    // A resource can repeat a message.
    const places = new Map(group.map((each) => [subjectOf(each), each.place]));
    const goesOn = group.every((each) => each.goesOn);
    return { text, code, places: [...places.values()], goesOn };
  });
}

/** Returns what a message is about. */
function placeOf(
  diagnostic: Diagnostic,
  folder: string,
  frames: ReadonlyMap<string, readonly Position[]>,
): Place {
  const urn = subjectOf(diagnostic);
  return urn === undefined
    ? placeIn(diagnostic.text, folder)
    : { resource: label(parseUrn(urn)), position: positionIn(folder, frames.get(urn) ?? []) };
}

/** Returns the URN that a message is about; undefined if it is about all resources, as one about the settings is. */
function subjectOf({ urn, code }: Diagnostic): string | undefined {
  return code === "settings" || isAboutCredentials(code) ? undefined : urn;
}

/** Returns whether the service refused the credentials, or the address that they were used from. */
export function isAboutCredentials(code: Code | undefined): boolean {
  return code === "authentication" || code === "access-list";
}

/** Removes the stack trace that the SDK prints if the engine of a failed preview ends before the program. */
function withoutShutdown(lines: readonly string[]): readonly string[] {
  const start = lines.indexOf("failed to deliver log message.");
  const end = lines.indexOf("message severity: error") + 1;
  // The engine is ending, or has ended.
  const isShutdown = lines
    .slice(start, end)
    .some((line) => / 14 UNAVAILABLE: (?:resource monitor shut down|connection error)/.test(line));
  return isShutdown ? [...lines.slice(0, start), ...lines.slice(end)] : lines;
}

/** What the engine reports beside a cause: that the program's process ended, and that the preview failed. */
const consequence =
  /^(?:preview failed|error reading from server: (?:EOF|.*connection reset by peer))$/;

/** Returns whether a message only says that another one made the preview fail. One about a resource says more. */
function isConsequence({ text, places }: Pick<Message, "text" | "places">): boolean {
  return consequence.test(text) && places.every(({ resource }) => resource === undefined);
}

/** Drops consequences, unless nothing else says why the preview failed. */
function withoutConsequences(errors: readonly Message[]): readonly Message[] {
  const causes = errors.filter((error) => !isConsequence(error));
  return causes.length === 0 ? errors : causes;
}

/** Splits what Pulumi printed to standard error. Each message lasts until the next one. */
function messagesInLog(log: string): string[] {
  const parts = log.split(new RegExp(`(?=${messageStart.source})`, "m")).map((part) => part.trim());
  return parts.filter((part) => part !== "");
}

function withoutSeverity(text: string): string {
  return text.replace(messageStart, "");
}

/** Finds the line of the program in the stack trace of an error, or in an error of the TypeScript compiler. */
function placeIn(text: string, folder: string): Place {
  const places = [
    ...text.matchAll(/^ +at (?:.*\()?(?:file:\/\/)?([^()\n]+):(\d+):\d+\)?$/gm),
    ...text.matchAll(/^([^()\n]+)\((\d+),\d+\): error TS/gm),
  ];
  const frames = places.map(([, file = "", line]) => ({ file, line: Number(line) }));
  const position = positionIn(
    folder,
    frames.filter(({ file }) => /^(?!node:).*\.[cm]?[jt]sx?$/.test(file)),
  );
  return { resource: undefined, position };
}

/** The folder of this package, whose files are not the program's even if it is in the project's folder. */
const packageFolder = resolve(__dirname, "../../..");

/** Returns the first of these places that is in the program itself, which is in this folder. */
function positionIn(folder: string, places: readonly Position[]): Position | undefined {
  const found = places.map(({ file, line }) => {
    const path = resolve(folder, file);
    const parts = relative(folder, path).split(sep);
    const isOfPackage = parts.includes("node_modules") || path.startsWith(`${packageFolder}${sep}`);
    return parts.includes("..") || isOfPackage ? [] : [{ file: parts.join("/"), line }];
  });
  return found.flat()[0];
}

/** Removes what the engine puts before a check failure, because the resource is shown beside it. */
function stripEnginePrefix(text: string): string {
  const [start = ""] = /^\S+ resource '/.exec(text) ?? [];
  const [end = ""] = start === "" ? [] : (/['}] has a problem: /.exec(text) ?? []);
  return end === "" ? text : text.slice(text.indexOf(end) + end.length);
}
