/**
 * Reads the events of a preview, one JSON object per line. `pulumi preview --json` prints them with
 * PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true, and the Automation API passes them to `onEvent`.
 */
import { isDeepStrictEqual } from "node:util";
import { secret } from "../../host/inputs";
import { type ResourceName, parseUrn, stackIn, stackType, typeOf } from "../resourceNames";
import type { Properties } from "../values";
import { type Diagnostic, type Reported, diagnosticsIn, withGoesOn } from "./diagnostics";
import { type Event, type Metadata, type Remediation, type State, eventsIn } from "./events";

/** What the engine does to a resource, or what a refresh found on it. */
export interface Step extends ResourceName {
  /** The operation, such as `update` or `create-replacement`. */
  readonly op: string;
  /** The URN in the state, which an alias can change. */
  readonly recordedUrn: string;
  /** Undefined if the resource does not exist. Empty for resources of other packages, except for the stack. */
  readonly old: Properties | undefined;
  readonly new: Properties | undefined;
  /** The recorded outputs alone. Undefined for resources of other packages, except for the stack. */
  readonly oldOutputs: Properties | undefined;
  /** The names of the inputs that change. Of this package's resources, only the plugin says them. */
  readonly diffs: readonly string[];
  /** Whether a new resource has replaced this one, in this update or in an earlier one that did not delete it. */
  readonly isPendingDeletion?: boolean | undefined;
  /** Whether a deletion only removes the resource from the state, because of `retainOnDelete`. */
  readonly isRetained?: boolean | undefined;
}

/** What a report needs of the events of a preview. */
export interface Preview {
  /** The project and stack, such as `infra/production`; undefined if it has no resources. */
  readonly stack: string | undefined;
  readonly steps: readonly Step[];
  /** What a refresh found that differs from the state. */
  readonly drift: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
  readonly remediations: readonly Remediation[];
  /** Whether the engine reported the end. It does so after most failures, too. */
  readonly isFinished: boolean;
  /** The result that the engine reports, such as `succeeded`. */
  readonly result: string | undefined;
  /** Whether the engine counts a change, even one that its events do not show, as of a secret. */
  readonly hasChanges: boolean;
}

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
  const remediations: Remediation[] = [];
  let summary: Event["summaryEvent"];
  for (const event of eventsIn(text, name)) {
    for (const diagnostic of diagnosticsIn(event)) {
      reported.push({ diagnostic, nextStep: steps.all.length });
    }
    if (event.resourcePreEvent !== undefined) steps.begin(event.resourcePreEvent.metadata);
    if (event.resOutputsEvent !== undefined) steps.finish(event.resOutputsEvent.metadata);
    if (event.policyRemediationEvent !== undefined) remediations.push(event.policyRemediationEvent);
    summary = event.summaryEvent ?? summary;
  }
  const all = steps.all.map(asDeclared);
  return {
    stack: steps.stack,
    steps: all,
    drift: steps.drift,
    diagnostics: withGoesOn(reported, all),
    remediations,
    isFinished: summary !== undefined,
    result: summary?.result,
    hasChanges: Object.keys(summary?.resourceChanges ?? {}).some(isChange),
  };
}

/** Returns whether an operation changes its resource. One that is not known here counts as a change. */
export function isChange(op: string): boolean {
  return !["same", "read", "refresh"].includes(op);
}

/** Returns the step of a lookup that the program reads with `get` as that of one that it declares. */
function asDeclared(step: Step): Step {
  const { op, type, old, new: found } = step;
  if (typeOf(type) !== "ClusterConnectionStrings") return step;
  if (op === "discard") return { ...step, op: "delete" };
  if (op !== "read" || found?.["recommended"] === undefined) return step;
  if (old === undefined) return { ...step, op: "create" };
  return { ...step, op: isDeepStrictEqual(old, found) ? "same" : "update" };
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
    const { op, urn, old, new: found } = metadata;
    // What an earlier update replaced has the same URN, and is refreshed, too.
    const isRefresh = old?.delete !== true && this.#refreshing.delete(urn);
    if (isRefresh) {
      // The operation says what `pulumi refresh` found, even if only a secret differs. The inputs of a mode are not
      // compared, because they can contain what its last update found.
      if (isChange(op) || !isDeepStrictEqual(old?.outputs, found?.outputs)) {
        this.drift.push(stepOf({ ...metadata, op: "refresh" }));
      }
      return;
    }
    const at = this.#indexes.get(keyOf(metadata));
    if (at !== undefined) this.all[at] = stepOf(metadata);
  }
}

function keyOf({ op, urn }: Metadata): string {
  return `${op} ${urn}`;
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
    // The checked inputs contain the outputs, too, but without the marks of secrets.
    return isRead ? { ...state.inputs, ...state.outputs, ...hidden } : {};
  };
  return {
    ...name,
    op,
    recordedUrn: old?.urn ?? urn,
    old: propertiesIn(old),
    new: propertiesIn(changed),
    oldOutputs: isRead ? (old?.outputs ?? undefined) : undefined,
    diffs: diffs ?? (isRead ? [] : differentInputs(old, changed)),
    isPendingDeletion: old?.delete,
    isRetained: old?.retainOnDelete,
  };
}

/** Returns the names of the inputs that differ. Two secrets never do, because events have no values of them. */
function differentInputs(old: State, changed: State): string[] {
  const [before, after] = [old?.inputs ?? {}, changed?.inputs ?? {}];
  return Object.keys({ ...before, ...after }).filter(
    (name) => !name.startsWith("__") && !isDeepStrictEqual(before[name], after[name]),
  );
}
