/**
 * Reads the events of a preview, one JSON object per line. `pulumi preview --json` prints them with
 * PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true, and the Automation API passes them to `onEvent`. Rejects a damaged log.
 */
import { isDeepStrictEqual, stripVTControlCharacters } from "node:util";
import { secret } from "../../host/inputs";
import { ProviderError } from "../../messages/errors";
import { jsonOrUndefined, zodMessages } from "../../schemas/validation";
import { problemsOf } from "../../messages/text";
import * as z from "zod/mini";
import type { Properties } from "../values";
import {
  type ResourceName,
  label,
  parseUrn,
  stackIn,
  stackType,
  typeOf,
  urnSchema,
} from "../resourceNames";

/** What the engine does to a resource, or what a refresh found on it. */
export interface Step extends ResourceName {
  /** The operation, such as `update` or `create-replacement`. */
  readonly op: string;
  /** Undefined if the resource does not exist. Empty for resources of other packages, except for the stack. */
  readonly old: Properties | undefined;
  readonly new: Properties | undefined;
  /** The recorded outputs alone. Undefined for resources of other packages, except for the stack. */
  readonly oldOutputs: Properties | undefined;
  /** The inputs that change. Only the plugin names them. */
  readonly diffs: readonly string[];
}

/** A message of the engine, a program, a provider or a policy. */
export interface Diagnostic {
  /** Debug messages are omitted. */
  readonly severity: "error" | "warning" | "info";
  readonly urn: string | undefined;
  readonly text: string;
  /** Whether Pulumi goes on after an error, as after a policy violation. Default: false */
  readonly goesOn?: boolean;
}

/** What a report needs of the events of a preview. */
export interface Preview {
  /** The project and stack, such as `infra/production`; undefined if it has no resources. */
  readonly stack: string | undefined;
  readonly steps: readonly Step[];
  /** What a refresh found that differs from the state. */
  readonly drift: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
  /** Whether the engine reported the end. It does so after most failures, too. */
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

/**
 * Reads the events one after another, and keeps only what a report needs, because all events of a long log would need
 * much memory. Ignores a last line that a killed process truncated.
 *
 * @param text the log
 * @param name of the log in messages
 */
export function readEventLog(text: string, name: string): Preview {
  const steps = new StepList();
  const reported: Reported[] = [];
  let summary: Event["summaryEvent"];
  for (const event of eventsIn(text, name)) {
    for (const diagnostic of diagnosticsIn(event)) {
      reported.push({ diagnostic, nextStep: steps.all.length });
    }
    if (event.resourcePreEvent !== undefined) steps.begin(event.resourcePreEvent.metadata);
    if (event.resOutputsEvent !== undefined) steps.finish(event.resOutputsEvent.metadata);
    summary = event.summaryEvent ?? summary;
  }
  return {
    stack: steps.stack,
    steps: steps.all,
    drift: steps.drift,
    diagnostics: withGoesOn(reported, steps.all),
    isFinished: summary !== undefined,
    result: summary?.result,
  };
}

/** The steps of a preview in their order. Each begins with an event, and most end with one, which knows the outputs. */
class StepList {
  readonly all: Step[] = [];
  /** What a refresh found that differs from the state. */
  readonly drift: Step[] = [];
  /** The project and stack in the first URN. */
  stack: string | undefined;
  /** The URNs of the resources whose refresh has begun. */
  readonly #refreshing = new Set<string>();
  /** By operation and URN, where a step is in the list. */
  readonly #indexes = new Map<string, number>();

  /** Adds a step with what is known before it. A refresh is none, because a resource has another step after it. */
  begin(metadata: Metadata): void {
    const { op, urn } = metadata;
    this.stack ??= stackIn(urn);
    if (op === "refresh") {
      this.#refreshing.add(urn);
      return;
    }
    this.#indexes.set(keyOf(metadata), this.all.length);
    this.all.push(stepOf(metadata));
  }

  /** Replaces a step by what is known after it, or notes what a refresh found. */
  finish(metadata: Metadata): void {
    this.stack ??= stackIn(metadata.urn);
    const isRefresh = this.#refreshing.delete(metadata.urn);
    if (isRefresh) {
      if (isDifferent(metadata)) this.drift.push(stepOf({ ...metadata, op: "refresh" }));
      return;
    }
    const at = this.#indexes.get(keyOf(metadata));
    if (at !== undefined) this.all[at] = stepOf(metadata);
  }
}

function keyOf({ op, urn }: Metadata): string {
  return `${op} ${urn}`;
}

/** A diagnostic, and the index of the first step that began after it. */
interface Reported {
  readonly diagnostic: Diagnostic;
  readonly nextStep: number;
}

/**
 * Marks the errors that a step of their resource follows, such as the replacement of a protected resource: Pulumi goes
 * on after these. At any other error about a resource, it stops.
 */
function withGoesOn(reported: readonly Reported[], steps: readonly Step[]): Diagnostic[] {
  const lastSteps = new Map(steps.map(({ urn }, at) => [urn, at]));
  return reported.map(({ diagnostic, nextStep }) => {
    const last = lastSteps.get(diagnostic.urn ?? "");
    const goesOn = last !== undefined && last >= nextStep;
    return goesOn ? { ...diagnostic, goesOn } : diagnostic;
  });
}

/** Yields the event on each line. Throws if the log has none, or if a line before the last one is damaged. */
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

/** Returns what an event says, for each kind of event that says something. */
function diagnosticsIn(event: Event): Diagnostic[] {
  const { diagnosticEvent, policyEvent, policyRemediationEvent, errorEvent } = event;
  if (policyEvent !== undefined) return violationIn(policyEvent);
  if (policyRemediationEvent !== undefined) return remediationIn(policyRemediationEvent);
  if (errorEvent !== undefined) return diagnosticOf("error", undefined, errorEvent.error);
  if (diagnosticEvent === undefined || diagnosticEvent.ephemeral === true) return [];
  return diagnosticOf(diagnosticEvent.severity, diagnosticEvent.urn, diagnosticEvent.message);
}

/** Describes the violation of a policy. Pulumi goes on, and reports those of other resources. */
function violationIn({
  enforcementLevel,
  policyName,
  message,
  resourceUrn,
}: NonNullable<Event["policyEvent"]>): Diagnostic[] {
  const severity = enforcementLevel === "mandatory" ? "error" : "warning";
  const violations = diagnosticOf(severity, resourceUrn, `policy ${policyName}: ${message}`);
  return violations.map((diagnostic) => ({ ...diagnostic, goesOn: true }));
}

/** Warns of a policy that changes the inputs of a resource, after `check` looked up what the report shows. */
function remediationIn({
  policyName,
  resourceUrn,
  before,
  after,
}: NonNullable<Event["policyRemediationEvent"]>): Diagnostic[] {
  const isDifferentIn = (name: string) => !isDeepStrictEqual(before?.[name], after?.[name]);
  const names = Object.keys({ ...before, ...after })
    .filter(isDifferentIn)
    .join(", ");
  const resource = parseUrn(resourceUrn);
  const isLookup = typeOf(resource.type) === "ClusterConnectionStrings";
  const shown = isLookup ? " The string shown is the one without this change." : "";
  const text = `policy ${policyName} changes ${names} of ${label(resource)}.${shown}`;
  return diagnosticOf("warning", undefined, text);
}

/**
 * Cleans a message of control characters, and of the line ends of Windows. Returns nothing for an empty message, and
 * for a debug message, because those contain the values of secrets.
 */
function diagnosticOf(severity: string, about: string | undefined, message: string): Diagnostic[] {
  if (severity === "debug") return [];
  const text = stripVTControlCharacters(message.replace(/<\{%[^%]*%\}>|\r(?=\n)/g, "")).trim();
  if (text === "") return [];
  return [{ severity: severityOf(severity), urn: about === "" ? undefined : about, text }];
}

/** Maps the severities of the engine, such as `info#err` and `warning`. */
function severityOf(severity: string): Diagnostic["severity"] {
  if (severity === "error") return "error";
  return severity.startsWith("info") ? "info" : "warning";
}

/** Keeps the properties that a report shows: those of this package's resources, and the outputs of the stack. */
function stepOf({ op, urn, old, new: changed, diffs }: Metadata): Step {
  const name = parseUrn(urn);
  const isRead = typeOf(name.type) !== undefined || name.type === stackType;
  // What the program hides is as secret here as in the output of Pulumi.
  const { hideDiffs = [] } = changed ?? old ?? {};
  const hidden = Object.fromEntries(
    hideDiffs.map((path) => [path.split(/[.[]/, 1).join(), secret(undefined)]),
  );
  const propertiesIn = (state: State) => {
    if (state === null) return undefined;
    return isRead ? { ...propertiesOf(state), ...hidden } : {};
  };
  return {
    ...name,
    op,
    old: propertiesIn(old),
    new: propertiesIn(changed),
    oldOutputs: isRead ? (old?.outputs ?? undefined) : undefined,
    diffs: diffs ?? [],
  };
}

/** Merges inputs and outputs. The checked inputs contain the outputs, too, but without the marks of secrets. */
function propertiesOf({ inputs, outputs }: NonNullable<State>): Properties {
  return { ...inputs, ...outputs };
}

/** Returns whether a refresh found a difference. The inputs of a mode can contain what its last update found. */
function isDifferent({ old, new: found }: Metadata): boolean {
  return !isDeepStrictEqual(old?.outputs, found?.outputs);
}
