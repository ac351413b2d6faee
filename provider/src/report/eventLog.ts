/**
 * Reads the events of a preview, one JSON object per line. `pulumi preview --json` prints them with
 * PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true, and the Automation API passes them to `onEvent`. Rejects a damaged log.
 */
import { isDeepStrictEqual, stripVTControlCharacters } from "node:util";
import { secret as markAsSecret } from "../host/inputs";
import { ProviderError } from "../messages/errors";
import { jsonOrUndefined, zodMessages } from "../schemas/validation";
import { problemsOf } from "../messages/text";
import * as z from "zod/mini";
import {
  type Properties,
  type ResourceName,
  label,
  nameOf,
  stackIn,
  stackType,
  typeOf,
  urnSchema,
} from "./resources";

export interface Step extends ResourceName {
  /** The operation, such as `update` or `create-replacement`. */
  readonly op: string;
  /** Undefined if the resource does not exist. Empty for resources of other packages, except for the stack. */
  readonly old: Properties | undefined;
  readonly new: Properties | undefined;
  /** The recorded outputs alone. */
  readonly oldOutputs: Properties | undefined;
  /** The inputs that change. Only the plugin names them. */
  readonly diffs: readonly string[];
}

export interface Diagnostic {
  /** Debug messages are omitted. */
  readonly severity: "error" | "warning" | "info";
  readonly urn: string | undefined;
  readonly text: string;
  /** Whether Pulumi goes on after an error, as after a policy violation. Default: false */
  readonly isNonFatal?: boolean;
}

export interface Preview {
  /** The project and stack, such as `infra/production`; undefined if it has no resources. */
  readonly stack: string | undefined;
  readonly steps: readonly Step[];
  readonly drift: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
  readonly isFinished: boolean;
  /** The result that the engine reports, such as `succeeded`. */
  readonly result: string | undefined;
}

const properties = z.nullish(z.record(z.string(), z.unknown()));
const texts = z.nullish(z.array(z.string()));
const stateSchema = z.nullable(
  z.object({
    inputs: properties,
    outputs: properties,
    hideDiffs: z.optional(z.array(z.string())),
  }),
);
const stepEvent = z.optional(
  z.object({
    metadata: z.object({
      op: z.string(),
      urn: urnSchema,
      old: stateSchema,
      new: stateSchema,
      diffs: texts,
    }),
  }),
);
const eventSchema = z.object({
  sequence: z.number(),
  resourcePreEvent: stepEvent,
  resOutputsEvent: stepEvent,
  diagnosticEvent: z.optional(
    z.object({
      urn: z.optional(z.string()),
      message: z.string(),
      severity: z.string(),
      ephemeral: z.optional(z.boolean()),
    }),
  ),
  policyEvent: z.optional(
    z.object({
      resourceUrn: z.optional(z.string()),
      message: z.string(),
      policyName: z.string(),
      enforcementLevel: z.string(),
    }),
  ),
  policyRemediationEvent: z.optional(
    z.object({
      resourceUrn: z.string(),
      policyName: z.string(),
      before: properties,
      after: properties,
    }),
  ),
  errorEvent: z.optional(z.object({ error: z.string() })),
  summaryEvent: z.optional(z.object({ result: z.optional(z.string()) })),
});

type Event = z.infer<typeof eventSchema>;
type State = z.infer<typeof stateSchema>;
type Metadata = NonNullable<Event["resourcePreEvent"]>["metadata"];

/** Keeps only what a report needs of a log. Ignores a last line that a killed process truncated. */
export function readEventLog(text: string, name: string): Preview {
  const steps: Step[] = [];
  const drift: Step[] = [];
  const reported: Reported[] = [];
  const refreshing = new Set<string>();
  const indexes = new Map<string, number>();
  let summary: Event["summaryEvent"];
  let stack: string | undefined;
  for (const event of eventsIn(text, name)) {
    for (const diagnostic of diagnosticsIn(event)) {
      reported.push({ diagnostic, stepsBefore: steps.length });
    }
    summary = event.summaryEvent ?? summary;
    const { resourcePreEvent: before, resOutputsEvent: after } = event;
    const metadata = (before ?? after)?.metadata;
    if (metadata === undefined) continue;
    stack ??= stackIn(metadata.urn);
    const key = `${metadata.op} ${metadata.urn}`;
    if (before !== undefined) {
      if (metadata.op === "refresh") refreshing.add(metadata.urn);
      else indexes.set(key, steps.push(stepOf(metadata)) - 1);
    } else if (refreshing.delete(metadata.urn)) {
      if (isDifferent(metadata)) drift.push(stepOf({ ...metadata, op: "refresh" }));
    } else {
      const at = indexes.get(key);
      if (at !== undefined) steps[at] = stepOf(metadata);
    }
  }
  return {
    stack,
    steps,
    drift,
    diagnostics: withNonFatalErrors(reported, steps),
    isFinished: summary !== undefined,
    result: summary?.result,
  };
}

interface Reported {
  readonly diagnostic: Diagnostic;
  readonly stepsBefore: number;
}

/**
 * Marks the errors that a step of their resource follows, such as the replacement of a protected resource. After any
 * other error about a resource, Pulumi does not go on with it.
 */
function withNonFatalErrors(reported: readonly Reported[], steps: readonly Step[]): Diagnostic[] {
  const lastSteps = new Map(steps.map(({ urn }, at) => [urn, at]));
  return reported.map(({ diagnostic, stepsBefore }) => {
    const last = lastSteps.get(diagnostic.urn ?? "");
    const isNonFatal = last !== undefined && last >= stepsBefore;
    return isNonFatal ? { ...diagnostic, isNonFatal } : diagnostic;
  });
}

/** Parses the event on each line. Throws if the log has none. */
function* eventsIn(text: string, name: string): Generator<Event> {
  let isEmpty = true;
  let damaged: number | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const number = index + 1;
    if (line.trim() === "") continue;
    // The line is not quoted, because it may contain a secret.
    if (damaged !== undefined) throw notJson(name, damaged);
    const value = jsonOrUndefined(line);
    if (value === undefined) {
      damaged = number;
      continue;
    }
    isEmpty = false;
    yield parseEvent(value, `line ${number} of ${name}`);
  }
  if (!isEmpty) return;
  throw damaged === undefined ? new ProviderError(`${name} is empty.`) : notJson(name, damaged);
}

function parseEvent(value: unknown, name: string): Event {
  const { success, data, error } = eventSchema.safeParse(value, zodMessages);
  if (success) return data;
  throw new ProviderError(
    `${name} is not an event that pulumi 3.216 or later writes: ${problemsOf(error)}. Set PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true for pulumi preview --json.`,
  );
}

function notJson(name: string, line: number): ProviderError {
  return new ProviderError(
    `line ${line} of ${name} is not an event, or was truncated. Set PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true for pulumi preview --json, and pass only its standard output, without its standard error.`,
  );
}

function diagnosticsIn(event: Event): Diagnostic[] {
  const { diagnosticEvent, policyEvent, policyRemediationEvent, errorEvent } = event;
  if (policyEvent !== undefined) {
    const { enforcementLevel, policyName, message, resourceUrn } = policyEvent;
    const severity = enforcementLevel === "mandatory" ? "error" : "warning";
    const found = diagnosticOf(severity, resourceUrn, `policy ${policyName}: ${message}`);
    return found.map((diagnostic) => ({ ...diagnostic, isNonFatal: true }));
  }
  if (policyRemediationEvent !== undefined) {
    const { policyName, resourceUrn, before, after } = policyRemediationEvent;
    const isChanged = (name: string) => !isDeepStrictEqual(before?.[name], after?.[name]);
    const names = Object.keys({ ...before, ...after })
      .filter(isChanged)
      .join(", ");
    const resource = nameOf(resourceUrn);
    const isLookup = typeOf(resource.type) === "ClusterConnectionStrings";
    const shown = isLookup ? " The string shown is the one without this change." : "";
    const text = `policy ${policyName} changes ${names} of ${label(resource)}.${shown}`;
    return diagnosticOf("warning", undefined, text);
  }
  if (errorEvent !== undefined) return diagnosticOf("error", undefined, errorEvent.error);
  if (diagnosticEvent === undefined || diagnosticEvent.ephemeral === true) return [];
  return diagnosticOf(diagnosticEvent.severity, diagnosticEvent.urn, diagnosticEvent.message);
}

/** Omits debug messages, because they contain the values of secrets. Lines end as on Linux, on Windows, too. */
function diagnosticOf(severity: string, about: string | undefined, message: string): Diagnostic[] {
  if (severity === "debug") return [];
  const text = stripVTControlCharacters(message.replace(/<\{%[^%]*%\}>|\r(?=\n)/g, "")).trim();
  if (text === "") return [];
  const known = severity === "error" ? "error" : severity.startsWith("info") ? "info" : "warning";
  return [{ severity: known, urn: about === "" ? undefined : about, text }];
}

function stepOf({ op, urn, old, new: changed, diffs }: Metadata): Step {
  const name = nameOf(urn);
  const isRead = typeOf(name.type) !== undefined || name.type === stackType;
  // What the program hides is as secret here as in the output of Pulumi.
  const { hideDiffs = [] } = changed ?? old ?? {};
  const hidden = Object.fromEntries(
    hideDiffs.map((path) => [path.split(/[.[]/, 1).join(), markAsSecret(undefined)]),
  );
  const read = (state: State) => state && (isRead ? { ...propertiesOf(state), ...hidden } : {});
  return {
    ...name,
    op,
    old: read(old) ?? undefined,
    new: read(changed) ?? undefined,
    oldOutputs: isRead ? (old?.outputs ?? undefined) : undefined,
    diffs: diffs ?? [],
  };
}

/** The checked inputs contain the outputs, but are not marked as secrets. */
function propertiesOf({ inputs, outputs }: NonNullable<State>): Properties {
  return { ...inputs, ...outputs };
}

/** Returns whether a refresh found a difference. The inputs of a mode can contain what its last update found. */
function isDifferent({ old, new: found }: Metadata): boolean {
  return !isDeepStrictEqual(old?.outputs, found?.outputs);
}
