/** Reads what an event says to people: a diagnostic, a violation of a policy, or an error of the engine. */
import { isDeepStrictEqual, stripVTControlCharacters } from "node:util";
import { type Code, codeOf } from "../../messages/errors";
import { isOwn, label, parseUrn } from "../resourceNames";
import { containsSecret } from "../values";
import type { Event, Remediation } from "./events";

/** A message of the engine, a program, a provider or a policy. */
export interface Diagnostic {
  /** Debug messages are omitted. */
  readonly severity: "error" | "warning" | "info";
  readonly urn: string | undefined;
  readonly text: string;
  /**
   * The code at the end of the text, if the engine says it of a resource or of the provider of this package. Anybody can
   * end a message like that. Without a resource, a message of the program looks like one of the provider.
   */
  readonly code?: Code | undefined;
  /** Whether Pulumi goes on after an error, as after a policy violation. Default: false */
  readonly goesOn?: boolean;
}

/** Returns what an event says, for each kind of event that says something. */
export function diagnosticsIn(event: Event): Diagnostic[] {
  const { diagnosticEvent, policyEvent, policyRemediationEvent, errorEvent } = event;
  if (policyEvent !== undefined) return violationIn(policyEvent);
  if (policyRemediationEvent !== undefined) return remediationIn(policyRemediationEvent);
  if (errorEvent !== undefined) return diagnosticOf("error", undefined, errorEvent.error);
  if (diagnosticEvent === undefined || diagnosticEvent.ephemeral === true) return [];
  const { severity, urn, message } = diagnosticEvent;
  return diagnosticOf(severity, urn, message).map((diagnostic) => ({
    ...diagnostic,
    code:
      diagnostic.urn !== undefined && isOwn(diagnostic.urn) ? codeOf(diagnostic.text) : undefined,
  }));
}

/** Describes the violation of a policy. Pulumi goes on, and reports those of other resources. */
function violationIn(violation: NonNullable<Event["policyEvent"]>): Diagnostic[] {
  const { enforcementLevel, policyName, message, resourceUrn } = violation;
  const severity = enforcementLevel === "mandatory" ? "error" : "warning";
  const violations = diagnosticOf(severity, resourceUrn, `policy ${policyName}: ${message}`);
  return violations.map((diagnostic) => ({ ...diagnostic, goesOn: true }));
}

/** Warns of a policy that changes the inputs of a resource. It can return them unchanged. */
function remediationIn({ policyName, resourceUrn, before, after }: Remediation): Diagnostic[] {
  const names = Object.keys({ ...before, ...after });
  const different = names.filter((name) => !isDeepStrictEqual(before?.[name], after?.[name]));
  const secret = names.filter((name) => containsSecret(after?.[name]));
  if (different.length + secret.length === 0) return [];
  const what =
    different.length > 0 ? `changes ${different.join(", ")}` : `may change ${secret.join(", ")}`;
  const text = `policy ${policyName} ${what} of ${label(parseUrn(resourceUrn))}.`;
  return diagnosticOf("warning", undefined, text);
}

/**
 * Cleans a message of control characters, and of the line ends of Windows. Returns nothing for an empty message, and
 * for a debug message, because those contain the values of secrets.
 */
function diagnosticOf(severity: string, about: string | undefined, message: string): Diagnostic[] {
  if (severity === "debug") return [];
  const kind = severityOf(severity);
  const cleaned = stripVTControlCharacters(message.replace(/<\{%[^%]*%\}>|\r(?=\n)/g, ""));
  const text = (kind === "info" ? withoutVerboseLog(cleaned) : cleaned).trim();
  if (text === "") return [];
  return [{ severity: kind, urn: about === "" ? undefined : about, text }];
}

/** Matches where an entry of a verbose log begins, such as `I0131 23:59:59.123456 1234 plugin.go:56] `, or an object. */
const logEntry = /^(?:[IWEF]\d{4} [\d:.]+ +\d+ \S+:\d+\] |\{"time":"[^"]+","level":")/m;

/** Matches the severity that Pulumi prints before a message. */
export const messageStart = /^(?:error|warning): /;

/**
 * Removes the verbose log of Pulumi and of its processes (`-v=9 --logtostderr`), which contains the values of properties.
 * An entry can have several lines, so only errors and warnings are kept of a text with a log.
 */
export function withoutVerboseLog(text: string): string {
  if (!logEntry.test(text)) return text;
  const parts = text.split(new RegExp(`(?=${logEntry.source}|${messageStart.source})`, "m"));
  return parts.filter((part) => messageStart.test(part)).join("");
}

/** Maps the severities of the engine, such as `info#err` and `warning`. */
function severityOf(severity: string): Diagnostic["severity"] {
  if (severity === "error") return "error";
  return severity.startsWith("info") ? "info" : "warning";
}
