/**
 * The lifecycle of PrivateIpMode: reads the current setting, decides what to do, then does it.
 * In a preview, the engine uses the inputs that `check` returns as the outputs.
 */
import { escapeText } from "../api/text";
import type { EngineWatch } from "../providerProcess/engine";
import {
  containsUnknown,
  readInputs,
  withoutFound,
  withoutProvider,
} from "../providerProcess/inputs";
import type {
  CheckFailure,
  CheckResult,
  DiffResult,
  Lifecycle,
  PropertyBag,
  ReadResult,
  TimeoutSeconds,
} from "../providerProcess/lifecycle";
import { projectIsGone } from "../providerProcess/projectExistence";
import { ProviderError } from "../session/errors";
import { readProjectId } from "../session/arguments";
import type { Session } from "../session/session";
import {
  type Args,
  type CheckedInputs,
  type RecordedMode,
  args,
  checkedInputs,
  readRecorded,
} from "./args";
import { disableRefusal } from "./guard";
import type { Managers } from "./managers";
import { type RestoreContext, observeMode, restoreMode, setMode } from "./modeChange";
import type { PeeringWarning } from "./peeringWarning";

export interface PrivateIpModeContext {
  /** Opens the session on the first request. */
  readonly open: () => Session;
  /** Returns what manages the modes; opens the session. */
  readonly managers: () => Managers;
  /** The warning about disabling, shared with the lookups in the same process. */
  readonly warning: Pick<PeeringWarning, "recordDisable">;
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
    create: (inputs, timeoutSeconds) => createMode(context, inputs, timeoutSeconds),
    read: (id, props) => readMode(context, id, props),
    update: (_id, olds, news, timeoutSeconds) => updateMode(context, olds, news, timeoutSeconds),
    delete: (id, props, timeoutSeconds) => deleteMode(context, id, props, timeoutSeconds),
  };
}

// The program or the plugin passes `alsoManagedBy`, which is never recorded, and `managingStack`, which is.
async function checkMode(
  context: PrivateIpModeContext,
  olds: PropertyBag,
  { alsoManagedBy, managingStack, ...given }: PropertyBag,
): Promise<CheckResult> {
  context.engine.start();
  const wanted = withoutFound(args, olds, given);
  const news = managingStack === undefined ? wanted : { ...wanted, managingStack };
  const inputs = readInputs(args, wanted);
  if (inputs.kind === "invalid") return { inputs: news, failures: inputs.failures };
  if (inputs.kind === "unknown") return { inputs: news };
  if (typeof alsoManagedBy === "string") {
    return { inputs: news, failures: [managedTwice(alsoManagedBy)] };
  }
  const { projectId, enabled } = inputs.args;
  const session = context.open();
  const state = recordedState(context, projectId, olds);
  context.managers().declare(projectId);
  if (state !== undefined) recordManager(context, news);
  const mode = await observeMode(session, projectId, state?.enabled);
  const refusal = enabled || mode === false ? undefined : await checkDisable(context, projectId);
  if (refusal !== undefined) return { inputs: news, failures: [refusal] };
  if (enabled && mode !== true) await session.log("warning", enablingWarning(projectId));
  // Keep the mode found by the first check. Changing the project adopts the mode of the new one.
  const enabledAtAdoption = (state === undefined ? mode : state.enabledAtAdoption) ?? null;
  const drift = driftOf(inputs.args, state, mode);
  if (drift === undefined) return { inputs: { ...news, enabledAtAdoption } };
  await session.log("warning", drift);
  return { inputs: { ...news, enabledAtAdoption, changedOutside: drift } };
}

function managedTwice(name: string): CheckFailure {
  const reason = `"${escapeText(name)}" already manages private IP mode of this project. Keep one of the two resources: each would undo the changes of the other.`;
  return { property: "projectId", reason };
}

/** Returns the recorded mode of the project, also in the second check of a replacement. */
function recordedState(
  { states }: PrivateIpModeContext,
  projectId: string,
  olds: PropertyBag,
): RecordedMode | undefined {
  const recorded = readRecorded(olds);
  const state = recorded.projectId === projectId ? recorded : states.get(projectId);
  // Stryker disable next-line ConditionalExpression: the state is undefined only if the map has none for the project
  if (state !== undefined) states.set(projectId, state);
  return state;
}

/** Applies the guard to disabling: returns its refusal, or warns about the disable. */
async function checkDisable(
  context: PrivateIpModeContext,
  projectId: string,
): Promise<CheckFailure | undefined> {
  const list = await context.open().listing.clusters(projectId);
  const reason = disableRefusal(projectId, list);
  if (reason !== undefined) return { property: "enabled", reason };
  await context.warning.recordDisable(projectId, list.clusters);
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
  return `private IP mode of project ${escapeText(projectId)} was turned ${onOff(!enabled)} outside of this stack; the update turns it ${onOff(enabled)} again`;
}

function onOff(enabled: boolean): string {
  return enabled ? "on" : "off";
}

function diffModes(olds: PropertyBag, news: PropertyBag): DiffResult {
  const known = Object.entries(news).filter(([, value]) => !containsUnknown(value));
  const [before, after] = [readRecorded(olds), readRecorded(Object.fromEntries(known))];
  // An input that is still unknown counts as changed.
  const isChanged = (name: keyof Args) =>
    containsUnknown(news[name]) || before[name] !== after[name];
  const changes: Record<keyof Args | "managingStack" | "changedOutside", boolean> = {
    projectId: isChanged("projectId"),
    enabled: isChanged("enabled"),
    onDelete: isChanged("onDelete"),
    managingStack: isMoved(before, after),
    changedOutside: "changedOutside" in news,
  };
  const changed = Object.entries(changes).flatMap(([name, isOne]) => (isOne ? [name] : []));
  return {
    changes: changed.length > 0,
    changed,
    replaces: changes.projectId ? ["projectId"] : [],
  };
}

/** After a rename of the stack, an update records its new name. Earlier versions recorded none. */
function isMoved(before: RecordedMode, after: RecordedMode): boolean {
  const [old, current] = [before.managingStack, after.managingStack];
  return old !== undefined && current !== undefined && old !== current;
}

async function createMode(
  context: PrivateIpModeContext,
  inputs: PropertyBag,
  timeoutSeconds: TimeoutSeconds,
) {
  const { enabledAtAdoption, ...wanted }: CheckedInputs = checkedInputs.parse(inputs);
  const change = { ...wanted, recorded: undefined, timeoutSeconds };
  const before = await setMode(changeContext(context), change);
  recordManager(context, inputs);
  const adopted = enabledAtAdoption ?? before ?? null;
  return { id: wanted.projectId, outs: { ...outputsOf(inputs), enabledAtAdoption: adopted } };
}

/** Records, for other stacks, that the stack of these inputs manages the mode. */
function recordManager(context: PrivateIpModeContext, inputs: PropertyBag): void {
  const { projectId, managingStack } = readRecorded(inputs);
  if (projectId !== undefined) context.managers().record(projectId, managingStack);
}

async function readMode(
  context: PrivateIpModeContext,
  id: string,
  props: PropertyBag,
): Promise<ReadResult> {
  readProjectId(id);
  const session = context.open();
  const state = readRecorded(props);
  try {
    const enabled = await observeMode(session, id, state.enabled);
    if (enabled === undefined) throw notReadable(id);
    // The first read of a resource, by its ID or for an import, adopts the setting.
    const adopted = state.enabled === undefined ? { enabledAtAdoption: enabled } : {};
    const outputs = { ...outputsOf(props), projectId: id, enabled, ...adopted };
    if (state.enabled === undefined && state.managingStack !== undefined) {
      recordManager(context, outputs);
    }
    // The engine writes the inputs of an import into the user's program.
    const inputs = state.enabled === undefined ? { projectId: id, enabled } : { ...outputs };
    return { id, props: outputs, inputs };
  } catch (error) {
    if (!(await projectIsGone(session.client, id, error))) throw error;
    const problem = `project ${escapeText(id)} does not exist`;
    // The first read of a resource, by its ID, has no recorded state to remove.
    if (state.enabled === undefined) throw new ProviderError(`${problem}. Check the project ID.`);
    await session.log("warning", `${problem}: its private IP mode is removed from the state`);
    return {};
  }
}

function notReadable(projectId: string): ProviderError {
  return new ProviderError(
    `private IP mode of project ${escapeText(projectId)} cannot be read, because the service does not expose the setting. Declare the resource in a program instead: its creation adopts the setting.`,
  );
}

async function updateMode(
  context: PrivateIpModeContext,
  olds: PropertyBag,
  news: PropertyBag,
  timeoutSeconds: TimeoutSeconds,
) {
  const state = readRecorded(olds);
  const wanted: CheckedInputs = checkedInputs.parse(news);
  const change = { ...wanted, recorded: state.enabled, timeoutSeconds };
  await setMode(changeContext(context), change);
  recordManager(context, news);
  const enabledAtAdoption = state.enabledAtAdoption ?? null;
  return { outs: { ...outputsOf(news), enabledAtAdoption } };
}

async function deleteMode(
  context: PrivateIpModeContext,
  id: string,
  props: PropertyBag,
  timeoutSeconds: TimeoutSeconds,
): Promise<void> {
  const state = readRecorded(props);
  if (state.onDelete === "retain") return;
  await restoreMode(changeContext(context), id, state, timeoutSeconds);
  context.managers().release(id, state.managingStack);
}

/** Returns the outputs to record: the inputs without the drift marker, which no longer applies. */
function outputsOf(inputs: PropertyBag): PropertyBag {
  const { changedOutside, alsoManagedBy, ...outputs } = withoutProvider(inputs);
  return outputs;
}

function changeContext(context: PrivateIpModeContext): RestoreContext {
  context.engine.start();
  return {
    session: context.open(),
    managers: context.managers(),
    engineIsGone: () => context.engine.isGone(),
  };
}
