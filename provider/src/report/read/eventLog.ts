/**
 * Reads the events of a preview, one JSON object per line. `pulumi preview --json` prints them with
 * PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true, and the Automation API passes them to `onEvent`.
 */
import { isDeepStrictEqual } from "node:util";
import { secret } from "../../host/inputs";
import { type ResourceName, parseUrn, stackIn, stackType, typeOf } from "../resourceNames";
import type { Properties } from "../values";
import { type Diagnostic, diagnosticsIn } from "./diagnostics";
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
  /** Whether a deletion only removes the resource from the state, because of `retainOnDelete`. */
  readonly isRetained?: boolean | undefined;
}

/** What a report needs of the events of a preview. */
export interface Preview {
  /** The project and stack, such as `infra/production`; undefined if it has no resources. */
  readonly stack: string | undefined;
  /** What the engine does to each resource. */
  readonly steps: readonly Step[];
  /** Deletions of what earlier updates replaced, and could not delete. The resources themselves stay. */
  readonly leftovers: readonly Step[];
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
  const steps = new StepsByResource();
  const reported: { readonly diagnostic: Diagnostic; readonly begun: number }[] = [];
  const remediations: Remediation[] = [];
  let summary: Event["summaryEvent"];
  for (const event of eventsIn(text, name)) {
    for (const diagnostic of diagnosticsIn(event)) {
      reported.push({ diagnostic, begun: steps.begun });
    }
    if (event.resourcePreEvent !== undefined) steps.begin(event.resourcePreEvent.metadata);
    if (event.resOutputsEvent !== undefined) steps.finish(event.resOutputsEvent.metadata);
    if (event.policyRemediationEvent !== undefined) remediations.push(event.policyRemediationEvent);
    summary = event.summaryEvent ?? summary;
  }
  return {
    stack: steps.stack,
    steps: Array.from(steps.all.values(), (step) => {
      // What is deleted because of a replacement, and not created again, is no longer in the program.
      const isDeleted = summary?.result === "succeeded" && step.op === "delete-replaced";
      return asDeclared(isDeleted ? { ...step, op: "delete" } : step);
    }),
    leftovers: steps.ofReplaced.filter(({ urn }) => steps.all.get(urn)?.op !== "replace"),
    drift: steps.drift,
    diagnostics: reported.map(({ diagnostic, begun }) => {
      // Pulumi goes on after an error such as that of a protected resource, which a step of the resource follows. At any
      // other error about a resource, it stops.
      const goesOn = (steps.lastBegun.get(diagnostic.urn ?? "") ?? 0) > begun;
      return goesOn ? { ...diagnostic, goesOn } : diagnostic;
    }),
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

/** The steps of a preview. Each begins with an event, and most end with one, which knows the outputs. */
class StepsByResource {
  /** By URN, in the order in which the last step of each began. Of those of a replacement, `replace` has the resource before and after. */
  readonly all = new Map<string, Step>();
  /** Deletions of what another resource has replaced, in this update or in an earlier one. */
  readonly ofReplaced: Step[] = [];
  /** What a refresh found that differs from the state. */
  readonly drift: Step[] = [];
  /** The project and stack in the first URN. */
  stack: string | undefined;
  /** How many steps have begun, and by URN, which one was the last. */
  begun = 0;
  readonly lastBegun = new Map<string, number>();
  /** The URNs of the resources whose refresh has begun. */
  readonly #refreshing = new Set<string>();

  /** Adds a step with what is known before it. A refresh is none, because a resource has another step after it. */
  begin(metadata: Metadata): void {
    const { op, urn, old } = metadata;
    this.stack ??= stackIn(urn);
    if (op === "refresh") {
      this.#refreshing.add(urn);
      return;
    }
    this.begun++;
    this.lastBegun.set(urn, this.begun);
    const step = stepOf(metadata);
    if (old?.delete === true && /^(?:delete|discard|remove)/.test(op)) this.ofReplaced.push(step);
    else if (this.all.get(urn)?.op !== "replace") {
      this.all.delete(urn);
      this.all.set(urn, step);
    }
  }

  /** Replaces a step by what is known after it, or notes what a refresh found. */
  finish(metadata: Metadata): void {
    const { op, urn, old, new: found } = metadata;
    // What an earlier update replaced has the same URN, and is refreshed, too.
    if (old?.delete !== true && this.#refreshing.delete(urn)) {
      // The operation says what `pulumi refresh` found, even if only a secret differs. The inputs of a mode are not
      // compared, because they can contain what its last update found.
      if (isChange(op) || !isDeepStrictEqual(old?.outputs, found?.outputs)) {
        this.drift.push(stepOf({ ...metadata, op: "refresh" }));
      }
      return;
    }
    if (this.all.get(urn)?.op === op) this.all.set(urn, stepOf(metadata));
  }
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
