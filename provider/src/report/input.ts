/**
 * Reads what Pulumi wrote: `pulumi preview --json`, an event log (`--event-log`, or the streaming form of
 * `--json`), or `pulumi stack export`. Input that is neither, or is damaged, is an error.
 */
import { isDeepStrictEqual, stripVTControlCharacters } from "node:util";
import { problemsOf } from "../messages/text";
import * as z from "../messages/zod";
import { ProviderError } from "../messages/errors";
import { plainWords } from "../messages/schemaErrors";
import {
  type Position,
  type Properties,
  type ResourceName,
  nameOf,
  secret,
  stackIn,
  stackType,
  typeOf,
} from "./resources";

/** What the engine does, or found, on one resource. */
export interface Step extends ResourceName {
  /** The operation, such as `update` or `create-replacement`. */
  readonly op: string;
  /**
   * The properties before; undefined if the resource does not exist. Empty for resources of other packages, except for
   * the stack.
   */
  readonly old: Properties | undefined;
  /** The same afterwards. */
  readonly new: Properties | undefined;
  /** The URNs of the resources from which its properties come, before or after. An event log does not have them. */
  readonly dependencies: readonly string[];
}

/** A message of the engine, a program or a provider. */
export interface Diagnostic {
  /** Messages for debugging are left out. */
  readonly severity: "error" | "warning" | "info";
  /** The resource that it is about. */
  readonly urn: string | undefined;
  /** The message, without colors. */
  readonly text: string;
}

export interface PreviewInput {
  /** Which output of Pulumi it is. */
  readonly kind: "event log" | "preview" | "stack export";
  /** The project and stack, such as `infra/production`; undefined if it has no resources. */
  readonly stack: string | undefined;
  /** The planned steps; of a stack export, its resources with the operation `same`. */
  readonly steps: readonly Step[];
  /** What a refresh found to differ from the state. */
  readonly drift: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
  /** How many resources each operation concerns; undefined if the preview did not finish. */
  readonly counts: Readonly<Record<string, number>> | undefined;
  /** What the engine says, such as `succeeded`. A preview as JSON does not say it. */
  readonly result: string | undefined;
  /** Where the program declares each resource, by URN: the frames of its stack trace, the innermost first. */
  readonly positions: ReadonlyMap<string, readonly Position[]>;
}

/** Reads one input. Throws unless it is of a known form. */
export function readInput(text: string, name: string): PreviewInput {
  if (isEmpty(text)) throw new ProviderError(`${name} is empty.`);
  const document = jsonOrUndefined(text);
  if (!isRecord(document) || "sequence" in document) return readEventLog(text.split("\n"), name);
  if ("deployment" in document) return readExport(parseWith(exportSchema, document, name));
  const isPreview = ["steps", "changeSummary", "diagnostics"].some((key) => key in document);
  if (isPreview) return readDigest(parseWith(digestSchema, document, name));
  throw new ProviderError(
    `${name} is not Pulumi output that this command recognizes. It has neither "steps", "diagnostics" nor "changeSummary" (pulumi preview --json), "sequence" (an event log) nor "deployment" (pulumi stack export).`,
  );
}

/** Returns whether Pulumi wrote nothing. A preview as JSON that fails early is an empty object. */
export function isEmpty(text: string): boolean {
  return /^\s*(\{\s*\})?\s*$/.test(text);
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const urn = z.string().check(z.regex(/^urn:pulumi:[^:]+::[^:]+::[^:].*::/su, "not a URN"));
const properties = z.nullish(z.record(z.string(), z.unknown()));
const texts = z.nullish(z.array(z.string()));
const frame = z.object({ sourcePosition: z.optional(z.string()) });
const stateSchema = z.object({
  inputs: properties,
  outputs: properties,
  additionalSecretOutputs: texts,
  dependencies: texts,
  propertyDependencies: z.nullish(z.record(z.string(), texts)),
  provider: z.optional(z.string()),
  sourcePosition: z.optional(z.string()),
  stackTrace: z.nullish(z.array(frame)),
});
const countsSchema = z.record(z.string(), z.int());

const digestSchema = z.object({
  steps: z.nullish(
    z.array(
      z.object({
        op: z.string(),
        urn,
        oldState: z.nullish(stateSchema),
        newState: z.nullish(stateSchema),
      }),
    ),
  ),
  diagnostics: z.nullish(
    z.array(
      z.object({
        urn: z.optional(z.string()),
        message: z.optional(z.string()),
        severity: z.optional(z.string()),
      }),
    ),
  ),
  changeSummary: z.nullish(countsSchema),
});

const stepEvent = z.optional(
  z.object({
    metadata: z.object({
      op: z.string(),
      urn,
      old: z.nullable(stateSchema),
      new: z.nullable(stateSchema),
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
  errorEvent: z.optional(z.object({ error: z.string() })),
  summaryEvent: z.optional(
    z.object({ resourceChanges: z.nullish(countsSchema), result: z.optional(z.string()) }),
  ),
});

type Event = z.infer<typeof eventSchema>;

const exportSchema = z.object({
  deployment: z.nullable(
    z.object({ resources: z.nullish(z.array(z.extend(stateSchema, { urn }))) }),
  ),
});

function parseWith<T>(schema: z.ZodMiniType<T>, value: unknown, name: string): T {
  const { success, data, error } = schema.safeParse(value, plainWords);
  if (success) return data;
  throw new ProviderError(
    `${name} is not what pulumi 3.216 or later writes: ${problemsOf(error)}.`,
  );
}

type State = z.infer<typeof stateSchema>;

function readDigest({
  steps,
  diagnostics,
  changeSummary,
}: z.infer<typeof digestSchema>): PreviewInput {
  const all = steps ?? [];
  const planned = all.filter(({ op }) => op !== "refresh");
  const next = new Map(planned.toReversed().map((step) => [step.urn, step.oldState]));
  const read = (diagnostics ?? []).map(({ urn: about, message = "", severity }) =>
    diagnosticOf(
      severity ?? "error",
      about,
      severity?.startsWith("info") ? message : message.replace(/^(error|warning): /, ""),
    ),
  );
  return {
    kind: "preview",
    stack: stackIn(all[0]?.urn),
    steps: planned.map((step) => stepOf(step, step.oldState, step.newState)),
    // A refresh shows the same state twice; only the next step of the resource has what was found.
    drift: all
      .filter(({ op }) => op === "refresh")
      .flatMap((refresh) => {
        const found = next.get(refresh.urn);
        next.delete(refresh.urn);
        return found == null ? [] : driftOf(refresh, refresh.oldState, found);
      }),
    diagnostics: read.flat(),
    counts: changeSummary ?? undefined,
    result: undefined,
    positions: new Map(all.map((step) => [step.urn, framesOf(step.newState ?? step.oldState)])),
  };
}

/**
 * Reads the lines of an event log, and keeps only what a report needs, because a log has all properties of all
 * resources. Ignores the last line if a killed process cut it.
 */
export function readEventLog(lines: Iterable<string>, name: string): PreviewInput {
  const steps: Step[] = [];
  const drift: Step[] = [];
  const diagnostics: Diagnostic[] = [];
  const refreshing = new Set<string>();
  const indexes = new Map<string, number>();
  let summary: Event["summaryEvent"];
  for (const event of eventsIn(lines, name)) {
    diagnostics.push(...diagnosticsIn(event));
    summary = event.summaryEvent ?? summary;
    const { resourcePreEvent: before, resOutputsEvent: after } = event;
    const metadata = (before ?? after)?.metadata;
    if (metadata === undefined) continue;
    const key = `${metadata.op} ${metadata.urn}`;
    if (before !== undefined) {
      if (metadata.op === "refresh") refreshing.add(metadata.urn);
      else indexes.set(key, steps.push(stepOf(metadata, metadata.old, metadata.new)) - 1);
    } else if (refreshing.delete(metadata.urn)) {
      drift.push(...driftOf(metadata, metadata.old, metadata.new));
    } else {
      const at = indexes.get(key);
      if (at !== undefined) steps[at] = stepOf(metadata, metadata.old, metadata.new);
    }
  }
  return {
    kind: "event log",
    stack: stackIn(steps[0]?.urn ?? drift[0]?.urn),
    steps,
    drift,
    diagnostics,
    counts: summary && (summary.resourceChanges ?? {}),
    result: summary?.result,
    positions: new Map(),
  };
}

/** Parses the event on each line, except for debug messages, which contain the values of secrets. */
function* eventsIn(lines: Iterable<string>, name: string): Generator<Event> {
  let number = 0;
  let damaged: number | undefined;
  for (const line of lines) {
    number += 1;
    if (line.trim() === "") continue;
    // Not quoted, because it can be a secret.
    if (damaged !== undefined) throw notJson(name, damaged);
    const value = jsonOrUndefined(line);
    if (value === undefined) damaged = number;
    else yield parseWith(eventSchema, value, `${name}, line ${number}`);
  }
  if (damaged === 1) throw notJson(name, damaged);
}

function notJson(name: string, line: number): ProviderError {
  return new ProviderError(
    `${name} is not JSON in line ${line}, or was truncated. Pass the standard output of pulumi alone, without its standard error.`,
  );
}

function diagnosticsIn(event: Event): Diagnostic[] {
  const { diagnosticEvent, policyEvent, errorEvent } = event;
  if (policyEvent !== undefined) {
    const { enforcementLevel, policyName, message, resourceUrn } = policyEvent;
    const severity = enforcementLevel === "mandatory" ? "error" : "warning";
    return diagnosticOf(severity, resourceUrn, `policy ${policyName}: ${message}`);
  }
  if (errorEvent !== undefined) return diagnosticOf("error", undefined, errorEvent.error);
  if (diagnosticEvent === undefined || diagnosticEvent.ephemeral === true) return [];
  return diagnosticOf(diagnosticEvent.severity, diagnosticEvent.urn, diagnosticEvent.message);
}

function diagnosticOf(severity: string, about: string | undefined, message: string): Diagnostic[] {
  if (severity === "debug") return [];
  const text = stripVTControlCharacters(message.replace(/<\{%[^%]*%\}>/g, "")).trim();
  if (text === "") return [];
  const known = severity === "error" ? "error" : severity.startsWith("info") ? "info" : "warning";
  return [{ severity: known, urn: about === "" ? undefined : about, text }];
}

function readExport({ deployment }: z.infer<typeof exportSchema>): PreviewInput {
  const resources = deployment?.resources ?? [];
  return {
    kind: "stack export",
    stack: stackIn(resources[0]?.urn),
    steps: resources.map((each) => stepOf({ op: "same", urn: each.urn }, each, each)),
    drift: [],
    diagnostics: [],
    counts: { same: resources.length },
    result: undefined,
    positions: new Map(resources.map((each) => [each.urn, framesOf(each)])),
  };
}

function stepOf(
  { op, urn: id }: { op: string; urn: string },
  old: State | null | undefined,
  changed: State | null | undefined,
): Step {
  const name = nameOf(id);
  const isRead = typeOf(name.type) !== undefined || name.type === stackType;
  const read = (state: State | null | undefined) =>
    state ? (isRead ? propertiesOf(state) : {}) : undefined;
  const states = old === changed ? [old] : [old, changed];
  const dependencies = states.flatMap(dependenciesOf);
  return { ...name, op, old: read(old), new: read(changed), dependencies };
}

/** Includes the provider, which can have received a value, too: `<URN>::<ID>`. */
function dependenciesOf(state: State | null | undefined): string[] {
  const { dependencies, propertyDependencies, provider } = state ?? {};
  const ofProperties = Object.values(propertyDependencies ?? {}).flatMap((each) => each ?? []);
  return [
    ...(dependencies ?? []),
    ...ofProperties,
    ...(provider ? [provider.slice(0, provider.lastIndexOf("::"))] : []),
  ];
}

/** The checked inputs contain the outputs, but are not marked as secrets. */
function propertiesOf({ inputs, outputs, additionalSecretOutputs }: State): Properties {
  const secrets = (additionalSecretOutputs ?? []).map((name) => [name, secret] as const);
  return { ...inputs, ...outputs, ...Object.fromEntries(secrets) };
}

/** Returns a step of a refresh if it found a difference. */
function driftOf(
  { urn: id }: { readonly urn: string },
  old: State | null | undefined,
  found: State | null | undefined,
): Step[] {
  const [before, after] = [old, found].map((state) => (state ? propertiesOf(state) : undefined));
  if (isDeepStrictEqual(before, after)) return [];
  return [stepOf({ op: "refresh", urn: id }, old, found)];
}

/** Returns the frames of a stack trace inside the project's folder, which are not in node_modules. */
function framesOf(state: State | null | undefined): Position[] {
  const frames = [state, ...(state?.stackTrace ?? [])].map((each) => each?.sourcePosition ?? "");
  return frames.flatMap((each) => {
    const [, path = "", line] = /^project:\/\/\/([^#]+)#(\d+)/.exec(each) ?? [];
    const file = decodedPath(path);
    const isInside = !file.split(/[\\/]/).some((part) => outsideParts.has(part));
    return isInside ? [{ file, line: Number(line) }] : [];
  });
}

/** The parts of a path that leads elsewhere, or to a package. */
const outsideParts = new Set(["", ".", "..", "node_modules"]);

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
