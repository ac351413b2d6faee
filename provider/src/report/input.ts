/**
 * Reads what Pulumi wrote: `pulumi preview --json`, an event log (`--event-log`, or the streaming form of
 * `--json`), or `pulumi stack export`. Input that is neither, or is damaged, is an error.
 */
import { isDeepStrictEqual, stripVTControlCharacters } from "node:util";
import { problemsOf } from "../messages/text";
import * as z from "../messages/zod";
import { ProviderError } from "../messages/errors";
import { plainWords } from "../messages/schemaErrors";

/** The properties of a resource: its inputs and outputs under their own names. */
export type Properties = Readonly<Record<string, unknown>>;

/** How previews write a secret, and how reports do. */
export const secret = "[secret]";

/** A place in the user's program. */
export interface Position {
  /** The path, relative to the folder of the Pulumi project. */
  readonly file: string;
  /** The line, from 1. */
  readonly line: number;
}

/** A resource, as its URN names it. */
export interface ResourceName {
  readonly urn: string;
  /** The type token, without the types of its parents. */
  readonly type: string;
  readonly name: string;
}

/** What the engine does, or found, on one resource. */
export interface Step extends ResourceName {
  /** The operation, such as `update` or `create-replacement`. */
  readonly op: string;
  /** Undefined if the resource does not exist before. */
  readonly old: Properties | undefined;
  /** Undefined if the resource does not exist afterwards. */
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
  /** Where the program declares each resource, by URN. */
  readonly positions: ReadonlyMap<string, Position>;
}

/** Reads one input. Throws unless it is of a known form. */
export function readInput(text: string, name: string): PreviewInput {
  if (isEmpty(text)) throw new ProviderError(`${name} is empty.`);
  const document = jsonOrUndefined(text, name);
  if (!isRecord(document) || "sequence" in document) {
    const events = document === undefined ? eventsIn(text, name) : [eventOf(document, name, 0)];
    return readEvents(events);
  }
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

/** Returns the name in a URN, `urn:pulumi:<stack>::<project>::<types>::<name>`. */
export function nameOf(urn: string): ResourceName {
  const [, , types = "", ...name] = urn.split("::");
  return { urn, type: types.split("$").at(-1) ?? "", name: name.join("::") };
}

/** Names a resource for a reader, such as `Secret orders-db`. */
export function label({ type, name }: ResourceName): string {
  return `${shortType(type)} ${name}`;
}

/** The type without its package. */
export function shortType(type: string): string {
  return type.split(/[:/]/).at(-1) ?? type;
}

/** The type of the stack itself, whose properties are its outputs. */
export const stackType = "pulumi:pulumi:Stack";

/** The types of this package. */
export type OwnType = "PrivateIpMode" | "ClusterConnectionStrings";

/** Returns a version of this package's type token in either kind of provider, without its module. */
export function typeOf(token: string): OwnType | undefined {
  const [, type] = /^(?:pulumi-nodejs:dynamic\/clouddb:|clouddb:index:)(\w+)$/.exec(token) ?? [];
  return type === "PrivateIpMode" || type === "ClusterConnectionStrings" ? type : undefined;
}

function stackIn(urn: string | undefined): string | undefined {
  const [stack = "", project = ""] = urn?.split("::") ?? [];
  return urn === undefined ? undefined : `${project}/${stack.replace(/^urn:pulumi:/, "")}`;
}

/** Parses an event on each line. Ignores the last line if a killed process cut it. */
function eventsIn(text: string, name: string): Event[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line, index) => {
    const value = lines.length === 1 ? undefined : jsonOrUndefined(line, name);
    if (value !== undefined) return [eventOf(value, name, index)];
    if (index > 0 && index === lines.length - 1) return [];
    // Not quoted, because it can be a secret.
    throw new ProviderError(
      `${name} is not JSON in line ${index + 1}, or was truncated. Pass the standard output of pulumi alone, without its standard error.`,
    );
  });
}

function eventOf(value: unknown, name: string, index: number): Event {
  return parseWith(eventSchema, value, `${name}, event ${index + 1}`);
}

function jsonOrUndefined(text: string, name: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
  // Functions that call themselves for each level would exceed the stack.
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth)
      throw new ProviderError(
        `${name} is not Pulumi output that this command recognizes. Its values are nested more than ${maxDepth} levels deep.`,
      );
    level = level.flatMap((each): unknown[] => (each instanceof Object ? Object.values(each) : []));
  }
  return value;
}

/** How deep values may be nested. */
const maxDepth = 200;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Like `z.array`, but stops at the first problem, because a damaged file could have millions. */
function listOf<T>(item: z.ZodMiniType<T>) {
  return z.pipe(
    z.array(z.unknown()),
    z.transform((values, context) => {
      const items: T[] = [];
      for (const [index, input] of values.entries()) {
        const { success, data, error } = item.safeParse(input, plainWords);
        if (success) {
          items.push(data);
          continue;
        }
        const [problem] = error.issues.map(({ path, message }) => ({
          path: [index, ...path],
          message,
        }));
        context.issues.push({ code: "custom", input, ...problem });
        return z.NEVER;
      }
      return items;
    }),
  );
}

const urn = z.string().check(z.regex(/^urn:pulumi:[^:]+::[^:]+::[^:].*::/su, "not a URN"));
const properties = z.nullish(z.record(z.string(), z.unknown()));
const texts = z.nullish(listOf(z.string()));
const frame = z.object({ sourcePosition: z.optional(z.string()) });
const stateSchema = z.object({
  inputs: properties,
  outputs: properties,
  additionalSecretOutputs: texts,
  dependencies: texts,
  propertyDependencies: z.nullish(z.record(z.string(), texts)),
  provider: z.optional(z.string()),
  sourcePosition: z.optional(z.string()),
  stackTrace: z.nullish(listOf(frame)),
});
const countsSchema = z.custom<Record<string, number>>(
  (value) => isRecord(value) && Object.values(value).every(Number.isSafeInteger),
  "expected a count for each operation",
);

const digestSchema = z.object({
  steps: z.nullish(
    listOf(
      z.object({
        op: z.string(),
        urn,
        oldState: z.nullish(stateSchema),
        newState: z.nullish(stateSchema),
      }),
    ),
  ),
  diagnostics: z.nullish(
    listOf(
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
    z.object({ resources: z.nullish(listOf(z.extend(stateSchema, { urn }))) }),
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
        return found == null ? [] : drifted(stepOf(refresh, refresh.oldState, found));
      }),
    diagnostics: read.flat(),
    counts: changeSummary ?? undefined,
    result: undefined,
    positions: positionsIn(all.flatMap((step) => [[step.urn, step.newState ?? step.oldState]])),
  };
}

function readEvents(events: readonly Event[]): PreviewInput {
  const steps: Step[] = [];
  const drift: Step[] = [];
  const refreshing = new Set<string>();
  const indexes = new Map<string, number>();
  for (const { resourcePreEvent: before, resOutputsEvent: after } of events) {
    const metadata = (before ?? after)?.metadata;
    if (metadata === undefined) continue;
    const step = stepOf(metadata, metadata.old, metadata.new);
    const key = `${step.op} ${step.urn}`;
    if (before !== undefined) {
      if (step.op === "refresh") refreshing.add(step.urn);
      else indexes.set(key, steps.push(step) - 1);
    } else if (refreshing.delete(step.urn)) {
      drift.push(...drifted(step));
    } else {
      const at = indexes.get(key);
      if (at !== undefined) steps[at] = step;
    }
  }
  const summary = events.findLast(({ summaryEvent }) => summaryEvent !== undefined)?.summaryEvent;
  return {
    kind: "event log",
    stack: stackIn(events.find((each) => each.resourcePreEvent)?.resourcePreEvent?.metadata.urn),
    steps,
    drift,
    diagnostics: events.flatMap(diagnosticsIn),
    counts: summary && (summary.resourceChanges ?? {}),
    result: summary?.result,
    positions: new Map(),
  };
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

/** Leaves out debug messages, because they contain the values of secrets. */
function diagnosticOf(severity: string, about: string | undefined, message: string): Diagnostic[] {
  const text = stripVTControlCharacters(message.replace(/<\{%[^%]*%\}>/g, "")).trim();
  if (severity === "debug" || text === "") return [];
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
    positions: positionsIn(resources.map((each) => [each.urn, each])),
  };
}

function stepOf(
  { op, urn: id }: { op: string; urn: string },
  old: State | null | undefined,
  changed: State | null | undefined,
): Step {
  const [before, after] = [old, changed].map((state) => (state ? propertiesOf(state) : undefined));
  const states = old === changed ? [old] : [old, changed];
  return {
    ...nameOf(id),
    op,
    old: before,
    new: after,
    dependencies: states.flatMap(dependenciesOf),
  };
}

/** Includes the provider, which can have received a value, too: `<URN>::<ID>`. */
function dependenciesOf(state: State | null | undefined): string[] {
  const { dependencies, propertyDependencies, provider } = state ?? {};
  const ofProperties = Object.values(propertyDependencies ?? {}).flatMap((each) => each ?? []);
  return [
    ...(dependencies ?? []),
    ...ofProperties,
    ...(provider === undefined ? [] : [provider.slice(0, provider.lastIndexOf("::"))]),
  ];
}

/** The checked inputs contain the outputs, but are not marked as secrets. */
function propertiesOf({ inputs, outputs, additionalSecretOutputs }: State): Properties {
  const secrets = (additionalSecretOutputs ?? []).map((name) => [name, secret] as const);
  return { ...inputs, ...outputs, ...Object.fromEntries(secrets) };
}

/** Returns a step of a refresh if it found a difference. */
function drifted(step: Step): Step[] {
  return isDeepStrictEqual(step.old, step.new) ? [] : [step];
}

function positionsIn(
  states: readonly (readonly [string, State | null | undefined])[],
): Map<string, Position> {
  return new Map(
    states.flatMap(([id, state]) => {
      const position = positionOf(state ?? undefined);
      return position === undefined ? [] : [[id, position] as const];
    }),
  );
}

/** Returns the innermost frame in the program itself: not in a package, nor outside the project's folder. */
function positionOf(state: State | undefined): Position | undefined {
  const frames = [state, ...(state?.stackTrace ?? [])].map((each) => each?.sourcePosition ?? "");
  for (const each of frames) {
    const [, path = "", line] =
      /^project:\/\/\/([^#]{1,500})#([1-9]\d{0,8})(?!\d)/.exec(each) ?? [];
    const file = decodedPath(path);
    const isInside = !file.split(/[\\/]/).some((part) => outsideParts.has(part));
    if (isInside) return { file, line: Number(line) };
  }
  return undefined;
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
