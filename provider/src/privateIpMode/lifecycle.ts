/**
 * The lifecycle of PrivateIpMode. `check` decides with guard.ts whether to refuse disabling or to warn about it, and
 * shows a setting that differs from the recorded one, so that a preview knows both
 * (docs/internals/decisions.md#0002-lookups-in-check). `create` and `update` change the setting with modeChange.ts,
 * which observes and guards again. `delete` sends nothing, because the setting belongs to the project
 * (docs/internals/decisions.md#0012-who-manages-a-mode).
 *
 * After a change whose outcome is not known, its outputs are recorded without `enabled`, unless the service has a GET
 * for the setting. Any next update then sends the change again.
 */
import { escapeText } from "../messages/text";
import type { EngineWatch } from "../host/engine";
import {
  containsUnknown,
  readCheckedArgs,
  readInputs,
  readState,
  dropCopiedOutputs,
  withoutProvider,
} from "../host/inputs";
import type {
  CheckFailure,
  CheckResult,
  DiffResult,
  Lifecycle,
  PropertyBag,
  ReadResult,
} from "../host/lifecycle";
import { confirmProjectDeletion } from "../service/client";
import { InitializationError, ProviderError } from "../messages/errors";
import { readProjectId } from "../validation/arguments";
import type { Session } from "../service/session";
import * as z from "zod/mini";
import {
  type HiddenInputs,
  type RecordedMode,
  type ValidModeArgs,
  argsSchema,
  changedOutside,
  isChangedOutside,
  notKnown,
  onOrOff,
  recordedState,
} from "./args";
import { disableRefusal, disableWarning } from "./guard";
import { UnconfirmedChangeError, observeMode, setMode } from "./modeChange";

/** What the lifecycle uses of its process. */
export interface PrivateIpModeContext {
  /** Opens the session of the process on the first call. */
  readonly session: () => Session;
  /** The watch of the engine, which `check`, `create` and `update` start. */
  readonly engine: Pick<EngineWatch, "start" | "isGone">;
  /**
   * By project ID in lower case, the resource that declares the mode in this run. `check` rejects a second one
   * (docs/internals/decisions.md#0012-who-manages-a-mode).
   */
  readonly declared: Map<string, string>;
  /** Aborts when the process ends without the response to a change, as ../runtimeHost.ts says. Default: never */
  readonly end?: AbortSignal | undefined;
}

/**
 * Creates the lifecycle. If the guard refuses, `check` returns a failure, and the others reject with a ProviderError.
 */
export function privateIpModeLifecycle(context: PrivateIpModeContext): Lifecycle {
  return {
    check: (olds, news) => checkMode(context, olds, news),
    diff: (_id, olds, news) => Promise.resolve(diffModes(olds, news)),
    create: async (inputs, timeoutSeconds) => {
      const outs = await applyMode(context, inputs, timeoutSeconds);
      return { id: outs.projectId, outs };
    },
    read: (id, props) => readMode(context, id, props),
    update: async (_id, _olds, news, timeoutSeconds) => {
      return { outs: await applyMode(context, news, timeoutSeconds) };
    },
    delete: () => Promise.resolve(),
  };
}

/**
 * Validates the inputs, and compares the mode in the service with the recorded one. Warns, or returns why the guard
 * refuses. In an update, `setMode` applies the guard again.
 */
async function checkMode(
  context: PrivateIpModeContext,
  olds: PropertyBag,
  { __resource, ...given }: PropertyBag & Partial<Record<keyof HiddenInputs, unknown>>,
): Promise<CheckResult> {
  context.engine.start();
  const news = dropCopiedOutputs(argsSchema, olds, given);
  const inputs = readInputs(argsSchema, news);
  if (inputs.kind === "invalid") return { inputs: news, failures: inputs.failures };
  if (inputs.kind === "unknown") return { inputs: news };
  const { projectId, enabled } = inputs.args;
  const resource = String(__resource);
  const first = context.declared.get(projectId.toLowerCase()) ?? resource;
  if (first !== resource) return { inputs: news, failures: [managedTwice(first)] };
  context.declared.set(projectId.toLowerCase(), resource);
  const session = context.session();
  const oldInputs = readRecorded(olds);
  const recorded = oldInputs.projectId === projectId ? oldInputs.enabled : undefined;
  const found = await observeMode(session, projectId);
  // If the service has no GET, the recorded inputs may be what an unconfirmed change requested. The update then applies
  // the guard and sends it again.
  const mode = found ?? recorded;
  const modes = { found, recorded, enabled };
  const drift = driftIn(modes);
  // Warn about drift first, so that the user sees it even if the guard refuses below.
  if (drift !== undefined) {
    await session.log("warning", driftWarning(projectId, drift, enabled), "drift");
  }
  const refusal = enabled || mode === false ? undefined : await checkDisable(context, projectId);
  if (refusal !== undefined) return { inputs: news, failures: [refusal] };
  if (enabled && mode !== true) {
    await session.log("warning", enablingWarning(projectId), "enabling");
  }
  const changesFrom = changesFromOf(modes, olds["changesFrom"]);
  return { inputs: changesFrom === undefined ? news : { ...news, changesFrom } };
}

/** The modes that `check` compares. */
interface Modes {
  /** What the service says; undefined if it does not. */
  readonly found: boolean | undefined;
  readonly recorded: boolean | undefined;
  /** What the program declares. */
  readonly enabled: boolean;
}

/** Returns the mode of the service if it differs from the recorded one, as far as both are known. */
function driftIn({ found, recorded }: Modes): boolean | undefined {
  return recorded === undefined || found === recorded ? undefined : found;
}

/**
 * Returns the input `changesFrom`.
 *
 * @param last its recorded value, if there is one. It is always replaced, because a preview would show its removal.
 */
function changesFromOf(modes: Modes, last: unknown): string | undefined {
  const { found, recorded, enabled } = modes;
  const mode = found === undefined ? notKnown : onOrOff(found);
  if (driftIn(modes) !== undefined) return changedOutside(mode, last);
  const isFirst = recorded === undefined && found !== enabled;
  return isFirst || last !== undefined ? mode : undefined;
}

/** Says that the setting differs from the recorded one, perhaps because of our own change without an answer. */
function driftWarning(projectId: string, mode: boolean, declared: boolean): string {
  const effect =
    mode === declared
      ? "This update only records that"
      : `The program declares enabled: ${declared}`;
  return `private IP mode of project ${escapeText(projectId)} is ${onOrOff(mode)}, which differs from what is recorded. It was changed outside this stack, or an earlier update received no response. ${effect}.`;
}

function enablingWarning(projectId: string): string {
  return `enabling private IP mode of project ${escapeText(projectId)} changes the addresses that the host names of its clusters resolve to, for every client, and limits database connections from outside the peered network: https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/concepts.md#private-ip-mode`;
}

/** The failure for a project whose mode another resource of the program declares, too. */
function managedTwice(resource: string): CheckFailure {
  const [name = ""] = resource.split("\n");
  const reason = `"${escapeText(name)}" already manages private IP mode of this project. Keep one of the two resources, because each would undo the changes of the other.`;
  return { property: "projectId", reason, code: "managed-twice" };
}

/** Returns the guard's refusal, or warns about strings that depend on the mode. */
async function checkDisable(
  context: PrivateIpModeContext,
  projectId: string,
): Promise<CheckFailure | undefined> {
  const list = await context.session().listing.verifiedAnew(projectId);
  const reason = disableRefusal(projectId, list);
  if (reason !== undefined) return { property: "enabled", reason, code: "refused" };
  const warning = disableWarning(projectId, list.clusters);
  if (warning !== undefined) await context.session().log("warning", warning, "disabling");
  return undefined;
}

/** Compares the recorded mode with the checked one. Drift alone is a change, too, so that an update records it. */
function diffModes(olds: PropertyBag, news: PropertyBag): DiffResult {
  const known = Object.entries(news).filter(([, value]) => !containsUnknown(value));
  const before = readRecorded(olds);
  const after = readRecorded(Object.fromEntries(known));
  // An input that is still unknown counts as changed.
  const isChanged = (name: keyof ValidModeArgs) =>
    containsUnknown(news[name]) || before[name] !== after[name];
  const changed: string[] = z.keyof(argsSchema).options.filter(isChanged);
  const replaces = changed.filter((name) => name === "projectId");
  const isOutside = isChangedOutside(news["changesFrom"]);
  return { changes: changed.length > 0 || isOutside, changed, replaces };
}

/**
 * Changes the mode, and returns what is then recorded. If the outcome is not known and cannot be read, throws an
 * InitializationError, after which the engine records the resource without its mode.
 */
async function applyMode(
  context: PrivateIpModeContext,
  inputs: PropertyBag,
  timeoutSeconds: number | undefined,
): Promise<ValidModeArgs> {
  const wanted = readCheckedArgs(z.object(argsSchema.shape), inputs);
  context.engine.start();
  try {
    await setMode(
      {
        session: context.session(),
        engineIsGone: () => context.engine.isGone(),
        end: context.end,
      },
      { ...wanted, timeoutSeconds },
    );
    return wanted;
  } catch (error) {
    if (!(error instanceof UnconfirmedChangeError) || error.isReadable) throw error;
    const { projectId } = wanted;
    const { __provider } = inputs;
    const properties = { projectId, ...(__provider === undefined ? {} : { __provider }) };
    const { message, code } = error;
    throw new InitializationError(message, { id: projectId, properties, code, cause: error });
  }
}

/**
 * Reads the mode for an import, `.get` or a refresh. Without a GET in the service, keeps the recorded mode. Removes a
 * resource whose project no longer exists.
 */
async function readMode(
  context: PrivateIpModeContext,
  id: string,
  props: PropertyBag,
): Promise<ReadResult> {
  readProjectId(id);
  const session = context.session();
  const state = readRecorded(props);
  // The first read of a resource, by its ID or for an import, has no recorded state.
  const isFirst = state.projectId === undefined;
  try {
    const enabled = (await observeMode(session, id)) ?? state.enabled;
    if (isFirst && enabled === undefined) {
      throw new ProviderError(
        `private IP mode of project ${escapeText(id)} cannot be read, because the service does not expose the setting. Declare the resource in a program instead; creating it takes over the setting.`,
        { code: "mode-unreadable" },
      );
    }
    const inputs = { projectId: id, ...(enabled === undefined ? {} : { enabled }) };
    return { id, props: { ...withoutProvider(props), ...inputs }, inputs };
  } catch (error) {
    if (!(await confirmProjectDeletion(session.client, id, error))) throw error;
    const problem = `project ${escapeText(id)} does not exist`;
    if (isFirst) {
      throw new ProviderError(`${problem}. Check the project ID.`, { code: "project-not-found" });
    }
    await session.log(
      "warning",
      `${problem}, so refreshing removes the resource from the state. Remove it from the program as well.`,
      "removed",
    );
    return {};
  }
}

function readRecorded(properties: PropertyBag): RecordedMode {
  return readState(recordedState, properties, "this PrivateIpMode resource");
}
