/**
 * The lifecycle of PrivateIpMode: reads the current setting, decides what to do, then does it.
 * In a preview, the engine uses the inputs that `check` returns as the outputs.
 */
import { escapeText, onOrOff } from "../messages/text";
import type { EngineWatch } from "../engine/engine";
import {
  containsUnknown,
  damagedState,
  readInputs,
  dropCopiedOutputs,
  withoutProvider,
} from "../engine/inputs";
import type {
  CheckFailure,
  CheckResult,
  DiffResult,
  Lifecycle,
  PropertyBag,
  ReadResult,
} from "../engine/lifecycle";
import { projectIsGone } from "../service/projectExistence";
import { InitializationError, ProviderError } from "../messages/errors";
import { readProjectId } from "../messages/arguments";
import type { Session } from "../service/session";
import * as z from "../messages/zod";
import { plainWords } from "../messages/schemaErrors";
import { type Args, type HiddenInputs, args, checkedInputs } from "./args";
import { type RecordedMode, readRecorded } from "./state";
import { disableRefusal } from "./guard";
import type { ModeManager, ModeManagers } from "./modeManagers";
import { UnconfirmedChangeError, observeMode, setMode } from "./modeChange";
import { peeringWarning } from "./peeringWarning";
import { type RestoreContext, restoreMode } from "./restore";

export interface PrivateIpModeContext {
  /** Opens the session on the first request. */
  readonly session: () => Session;
  /** Returns what manages the modes; opens the session. */
  readonly managers: () => ModeManagers;
  /** The watch of the engine, which each operation that can change the mode starts. */
  readonly engine: Pick<EngineWatch, "start" | "isGone">;
  /**
   * The recorded mode of each project, from the old inputs. The engine checks a replacement twice, and
   * passes no old inputs the second time.
   */
  readonly states: Map<string, RecordedMode>;
}

/**
 * Creates the operations, which reject with a ProviderError if the guard refuses a change or the recorded
 * state is damaged, and with an ApiError if a request to the service fails.
 */
export function privateIpModeLifecycle(context: PrivateIpModeContext): Lifecycle {
  return {
    check: (olds, news) => checkMode(context, olds, news),
    diff: (_id, olds, news) => Promise.resolve(diffModes(olds, news)),
    create: (inputs, timeoutSeconds) => applyMode(context, inputs, undefined, timeoutSeconds),
    read: (id, props) => readMode(context, id, props),
    update: async (id, olds, news, timeoutSeconds) => {
      const { outs } = await applyMode(context, news, readStateOf(id, olds), timeoutSeconds);
      return { outs };
    },
    delete: (id, props, timeoutSeconds) => deleteMode(context, id, props, timeoutSeconds),
  };
}

async function checkMode(
  context: PrivateIpModeContext,
  olds: PropertyBag,
  { __resource, ...given }: PropertyBag & Partial<Record<keyof HiddenInputs, unknown>>,
): Promise<CheckResult> {
  context.engine.start();
  const wanted = dropCopiedOutputs(args, olds, given);
  // Earlier versions recorded their stack, which is kept so that an upgrade shows no change.
  const { managingStack } = olds;
  const news = managingStack === undefined ? wanted : { ...wanted, managingStack };
  const inputs = readInputs(args, wanted);
  if (inputs.kind === "invalid") return { inputs: news, failures: inputs.failures };
  if (inputs.kind === "unknown") return { inputs: news };
  const { projectId, enabled } = inputs.args;
  const session = context.session();
  const resource = String(__resource);
  const manager = context.managers().declare(projectId, resource);
  if (manager !== undefined) return { inputs: news, failures: [managedTwice(manager)] };
  const state = recordedState(context, projectId, olds);
  const mode = await observeMode(session, projectId, state?.enabled);
  const drift = driftOf(inputs.args, state, mode);
  // Before the refusal of a change that the program did not cause.
  if (drift !== undefined) await session.log("warning", drift, "drift");
  const refusal = enabled || mode === false ? undefined : await checkDisable(context, projectId);
  if (refusal !== undefined) return { inputs: news, failures: [refusal] };
  if (enabled && mode !== true) {
    await session.log("warning", enablingWarning(projectId), "enabling");
  }
  // Keep the mode found by the first check. Changing the project adopts the mode of the new one.
  const enabledAtAdoption = (state === undefined ? mode : state.enabledAtAdoption) ?? null;
  const { onDelete } = inputs.args;
  context.managers().describe(projectId, { resource, enabledAtAdoption, onDelete });
  const hidden = drift === undefined ? {} : { changedOutside: drift };
  return { inputs: { ...news, enabledAtAdoption, ...hidden } };
}

/** The plugin identifies resources by URN, `urn:pulumi:<stack>::<project>::<types>::<name>`. */
function managedTwice(resource: string): CheckFailure {
  const [, name = resource] = /^urn:pulumi:(?:.*?::){3}(.*)$/.exec(resource) ?? [];
  const reason = `"${escapeText(name)}" already manages private IP mode of this project. Keep one of the two resources, because each would undo the changes of the other.`;
  return { property: "projectId", reason, code: "managed-twice" };
}

/** Returns the recorded mode of the project, also in the second check of a replacement. */
function recordedState(
  { states }: PrivateIpModeContext,
  projectId: string,
  olds: PropertyBag,
): RecordedMode | undefined {
  const recorded = readRecorded(olds);
  const state = recorded.projectId === projectId ? recorded : states.get(projectId);
  if (state !== undefined) states.set(projectId, state);
  return state;
}

/** Applies the guard to disabling. Returns its refusal, or warns that the mode will be disabled. */
async function checkDisable(
  context: PrivateIpModeContext,
  projectId: string,
): Promise<CheckFailure | undefined> {
  const list = await context.session().listing.clusters(projectId);
  const reason = disableRefusal(projectId, list);
  if (reason !== undefined) return { property: "enabled", reason, code: "refused" };
  const warning = peeringWarning(projectId, list.clusters);
  if (warning !== undefined) await context.session().log("warning", warning, "disabling");
  return undefined;
}

function enablingWarning(projectId: string): string {
  return `enabling private IP mode of project ${escapeText(projectId)} changes what the host names of its clusters resolve to everywhere, and limits database connections from outside the peered network: https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/concepts.md#private-ip-mode`;
}

/** Returns a warning if the setting was changed outside of this stack and the program did not change. */
function driftOf(
  { projectId, enabled }: Args,
  state: RecordedMode | undefined,
  mode: boolean | undefined,
): string | undefined {
  if (state?.enabled !== enabled || mode === enabled) return undefined;
  return `private IP mode of project ${escapeText(projectId)} was turned ${onOrOff(!enabled)} outside of this stack; the update turns it ${onOrOff(enabled)} again`;
}

function diffModes(olds: PropertyBag, news: PropertyBag): DiffResult {
  const known = Object.entries(news).filter(([, value]) => !containsUnknown(value));
  const [before, after] = [readRecorded(olds), readRecorded(Object.fromEntries(known))];
  // An input that is still unknown counts as changed.
  const isChanged = (name: keyof Args) =>
    containsUnknown(news[name]) || before[name] !== after[name];
  const changed: string[] = z.keyof(args).options.filter(isChanged);
  if ("changedOutside" in news) changed.push("changedOutside");
  const replaces = changed.filter((name) => name === "projectId");
  return { changes: changed.length > 0, changed, replaces };
}

/**
 * Sets the mode and returns the ID and the outputs to record. `state` is that of an existing resource. Throws an
 * InitializationError if it is not known whether the change was applied: the engine then records the resource with
 * its mode at adoption, and repeats the update.
 */
async function applyMode(
  context: PrivateIpModeContext,
  inputs: PropertyBag,
  state: RecordedMode | undefined,
  timeoutSeconds: number | undefined,
): Promise<{ id: string; outs: PropertyBag }> {
  const { enabledAtAdoption: checked, ...wanted } = checkedInputs.parse(inputs, plainWords);
  const id = wanted.projectId;
  const adopted = (before: boolean | undefined) => {
    if (state !== undefined) return state.enabledAtAdoption ?? null;
    // What check could not read stays unknown, because a replacement is checked with the recorded inputs.
    return checked === undefined ? (before ?? null) : checked;
  };
  const outs: PropertyBag = { ...outputsOf(inputs), __setByStack: wanted.enabled };
  try {
    const change = { ...wanted, recorded: state?.enabled, timeoutSeconds };
    const before = await setMode(changeContext(context), change);
    return { id, outs: { ...outs, enabledAtAdoption: adopted(before) } };
  } catch (error) {
    if (!(error instanceof UnconfirmedChangeError)) throw error;
    const { enabled, ...known } = outs;
    const { __provider } = inputs;
    const properties = {
      ...known,
      enabledAtAdoption: adopted(error.before),
      ...(__provider === undefined ? {} : { __provider }),
    };
    throw new InitializationError(error.message, {
      id,
      properties,
      code: error.code,
      cause: error,
    });
  }
}

async function readMode(
  context: PrivateIpModeContext,
  id: string,
  props: PropertyBag,
): Promise<ReadResult> {
  readProjectId(id);
  const session = context.session();
  const state = readStateOf(id, props);
  // The first read of a resource, by its ID or for an import, has no recorded state.
  const isFirst = state.projectId === undefined;
  try {
    const enabled = await observeMode(session, id, state.enabled);
    if (isFirst && enabled === undefined) {
      throw new ProviderError(
        `private IP mode of project ${escapeText(id)} cannot be read, because the service does not expose the setting. Declare the resource in a program instead; creating it adopts the setting.`,
        { code: "mode-unreadable" },
      );
    }
    const adopted = isFirst ? { enabledAtAdoption: enabled, __setByStack: enabled } : {};
    const known = enabled === undefined ? {} : { enabled };
    const outputs: PropertyBag = { ...outputsOf(props), projectId: id, ...known, ...adopted };
    const { __setByStack, ...inputs } = outputs;
    // The engine writes the inputs of an import into the user's program.
    return { id, props: outputs, inputs: isFirst ? { projectId: id, enabled } : inputs };
  } catch (error) {
    if (!(await projectIsGone(session.client, id, error))) throw error;
    const problem = `project ${escapeText(id)} does not exist`;
    // The first read has no recorded state to remove.
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

/** Validates the recorded state. Throws a ProviderError if it is for another project than its ID. */
function readStateOf(id: string, properties: PropertyBag): RecordedMode {
  const state = readRecorded(properties);
  if (state.projectId === undefined || state.projectId === id) return state;
  throw damagedState("this PrivateIpMode resource", [
    `id: is ${escapeText(id, 100)}, but projectId is ${escapeText(state.projectId, 100)}`,
  ]);
}

async function deleteMode(
  context: PrivateIpModeContext,
  id: string,
  props: PropertyBag,
  timeoutSeconds: number | undefined,
): Promise<void> {
  const state = readStateOf(id, props);
  const lost = lostAdoption(state, managerOf(context, id));
  if (lost !== undefined) await context.session().log("warning", lost, "replaced");
  if (state.onDelete !== "restore") return;
  await restoreMode(changeContext(context), id, state, timeoutSeconds);
}

/** Returns the resource of this run that manages the mode of a deleted one; undefined if that is not known. */
function managerOf(context: PrivateIpModeContext, projectId: string): ModeManager | undefined {
  try {
    const other = context.managers().findOther(projectId);
    return typeof other === "object" ? other : undefined;
  } catch (error) {
    // The settings are invalid, but a delete that sends no request needs none.
    if (error instanceof ProviderError) return undefined;
    throw error;
  }
}

/**
 * Returns a warning if a replacement adopted another value. The engine checks and creates it without the old state if
 * the user requests the replacement (`--replace`, `--target-replace`, `pulumi state taint`).
 */
function lostAdoption(old: RecordedMode, replacement?: ModeManager): string | undefined {
  const adopted = old.enabledAtAdoption ?? undefined;
  const other = replacement?.enabledAtAdoption;
  if (adopted === undefined || other === undefined || other === adopted) return undefined;
  if (old.onDelete === "retain" && replacement?.onDelete === "retain") return undefined;
  return [
    `private IP mode of project ${escapeText(String(old.projectId))} was ${onOrOff(adopted)} when its resource was first created, but the resource that replaces it now adopted the current value: onDelete: "restore" will not turn the mode ${onOrOff(adopted)} again. To correct this, set enabledAtAdoption of the new resource to ${String(adopted)} in state.json between these commands:`,
    "  pulumi stack export --file state.json",
    "  pulumi stack import --file state.json",
  ].join("\n");
}

/** Returns the outputs to record: the inputs without the drift marker, which no longer applies. */
function outputsOf(inputs: PropertyBag): PropertyBag {
  const { changedOutside, ...outputs } = withoutProvider(inputs);
  return outputs;
}

function changeContext(context: PrivateIpModeContext): RestoreContext {
  context.engine.start();
  return {
    session: context.session(),
    managers: context.managers(),
    engineIsGone: () => context.engine.isGone(),
  };
}
