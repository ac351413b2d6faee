/**
 * Collects what a preview said: each error, warning and line of output once, with its resource, and without secrets.
 */
import { stripVTControlCharacters } from "node:util";
import { codesIn } from "../../messages/errors";
import type { Message } from "../model";
import type { Position } from "../model";
import { label, parseUrn } from "../resourceNames";
import { withoutSecrets } from "../values";
import type { Diagnostic } from "./diagnostics";
import { positionIn } from "./positions";

/** What Pulumi printed, and where its program is. */
interface Printed {
  readonly exitCode: number;
  readonly log?: string | undefined;
  readonly folder: string;
}

/**
 * Returns the messages of a preview. If it failed without an error among its events, the cause is in what Pulumi
 * printed.
 *
 * @param diagnostics what the events say
 * @param printed what Pulumi printed
 * @param declarationOf returns where the program declares the resource with a URN
 */
export function readMessages(
  diagnostics: readonly Diagnostic[],
  { exitCode, log = "", folder }: Printed,
  declarationOf: (urn: string) => Position | undefined,
) {
  const messagesWith = (severity: Diagnostic["severity"]) =>
    withoutRepeatedText(
      diagnostics
        .filter((diagnostic) => diagnostic.severity === severity)
        .map((diagnostic) => messageOf(diagnostic, folder, declarationOf)),
    );
  const all = [
    ...withoutShutdown(messagesWith("info").map(({ text }) => text)),
    withoutSecrets(stripVTControlCharacters(log).trim()),
  ];
  const printed = all.filter((text) => text !== "");
  const reported = messagesWith("error");
  const causes = exitCode !== 0 && reported.length === 0 ? causesIn(printed) : [];
  const errors: Message[] = [
    ...reported,
    ...causes.map((text) => ({ resource: undefined, text, position: positionOf(text, folder) })),
  ];
  return {
    errors: errors.length > 1 ? errors.filter(({ text }) => !withoutCause.includes(text)) : errors,
    warnings: messagesWith("warning"),
    output: printed.filter((text) => !causes.includes(text.replace(/^error: /, ""))),
  };
}

/** Reads a message with its resource, except for one about settings, which is about all resources. */
function messageOf(
  { urn, goesOn, text: reported }: Diagnostic,
  folder: string,
  declarationOf: (urn: string) => Position | undefined,
): Message {
  const text = withoutSecrets(stripEnginePrefix(reported));
  if (urn === undefined || isAboutSettings(text)) {
    return { resource: undefined, text, position: positionOf(text, folder), goesOn };
  }
  return { resource: label(parseUrn(urn)), text, position: declarationOf(urn), goesOn };
}

/** Keeps the first of the messages with the same text, such as that of each resource about the same settings. */
function withoutRepeatedText(messages: readonly Message[]): Message[] {
  const byText = new Map<string, Message>();
  for (const message of messages) {
    const first = byText.get(message.text);
    const stopsPulumi = first?.goesOn === true && message.goesOn !== true;
    if (first === undefined || stopsPulumi) byText.set(message.text, message);
  }
  return [...byText.values()];
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

/** Errors that the engine reports beside their cause: that the program's process ended, and that a refresh failed. */
const withoutCause = ["error reading from server: EOF", "preview failed"];

/** Returns what follows `error: `, each until the next message. Without one, all that was printed is the cause. */
function causesIn(printed: readonly string[]): readonly string[] {
  const messages = printed.flatMap((text) => text.split(/^(?=(?:error|warning): )/m));
  const errors = messages.flatMap((message) => /^error: ([^]*)/.exec(message)?.[1]?.trim() ?? []);
  const causes = errors.filter((text) => !withoutCause.includes(text));
  return causes.length === 0 ? printed : causes;
}

/** Returns whether a text is about the settings, which all resources share. */
function isAboutSettings(text: string): boolean {
  return codesIn(text).includes("settings") || isAboutCredentials(text);
}

/** Returns whether the service refused the credentials, or the address that they were used from. */
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
