/**
 * The lifecycle of PrivateIpMode: reads the current setting, decides what to do, then does it.
 * In a preview, the engine uses the inputs that `check` returns as the outputs.
 */
import * as z from "../api/zod";
import { escapeText } from "../api/escapeText";
import { ProviderError } from "../session/errors";
import { readInputs, withoutProvider } from "../providerProcess/inputs";
import type { CheckResult, Lifecycle, PropertyBag, ReadResult } from "../providerProcess/lifecycle";
import { projectIsGone } from "../providerProcess/projectExistence";
import type { Session } from "../session/session";
import { disableRefusal } from "./guard";
import type { HeldProjects } from "./heldProjects";
import { observeMode, setMode } from "./modeChange";
import type { PeeringWarning } from "./peeringWarning";
import { type RecordedMode, knownInputs, readRecorded, recordedOf } from "./recordedMode";
import { restoreMode } from "./restore";

const args = z.strictObject({
  projectId: z
    .string("must be a project ID")
    .check(z.minLength(1, "must be a project ID, not empty")),
  enabled: z.boolean("must be true or false"),
  onDelete: z._default(z.enum(["retain", "restore"], 'must be "retain" or "restore"'), "retain"),
});

type Args = z.output<typeof args>;

/** The inputs that `check` returns. */
const checkedInputs = z.object({ ...args.shape, enabledAtAdoption: z.nullish(z.boolean()) });

/** What the lifecycle needs from the process that runs it. */
export interface PrivateIpModeContext {
  /** Opens the session on the first request. */
  readonly open: () => Session;
  readonly held: () => HeldProjects;
  /** The warning about a disable, shared with the lookups in the same process. */
  readonly warning: Pick<PeeringWarning, "disabling" | "flush">;
  readonly engine: { readonly start: () => void; readonly isGone: () => Promise<boolean> };
  /**
   * The recorded mode of each project, from the old inputs. The engine checks a replacement twice, and
   * passes no old inputs the second time.
   */
  readonly states: Map<string, RecordedMode>;
}

export function privateIpModeLifecycle(context: PrivateIpModeContext): Lifecycle {
  return {
    check: (olds, news) => checkMode(context, olds, news),
    diff: (_id, olds, news) => Promise.resolve().then(() => diffModes(olds, news)),
    create: (inputs) => createMode(context, inputs),
    read: (id, props) => readMode(context, id, props),
    update: (_id, olds, news) => updateMode(context, olds, news),
    delete: (id, props) => deleteMode(context, id, props),
  };
}

// The program passes `alsoHeldBy` (holders.ts); the state never records it.
async function checkMode(
  context: PrivateIpModeContext,
  olds: PropertyBag,
  { alsoHeldBy, ...news }: PropertyBag,
): Promise<CheckResult> {
  context.engine.start();
  const inputs = readInputs(args, news);
  if (inputs.kind === "wrong") return { inputs: news, failures: inputs.failures };
  if (inputs.kind === "unknown") return { inputs: news };
  if (typeof alsoHeldBy === "string") return heldTwice(news, alsoHeldBy);
  const { projectId, enabled } = inputs.args;
  const session = context.open();
  const state = recordedOf(projectId, olds) ?? context.states.get(projectId);
  if (state !== undefined) context.states.set(projectId, state);
  context.held().declare(projectId);
  const mode = await observeMode(session, projectId, state?.enabled);
  if (!enabled && mode !== false) {
    const clusters = await session.listing.clusters(projectId);
    const reason = disableRefusal(projectId, clusters);
    if (reason !== undefined) return { inputs: news, failures: [{ property: "enabled", reason }] };
    context.warning.disabling(projectId, clusters.clusters);
  }
  if (enabled && mode !== true) await session.log("warning", enablingWarning(projectId));
  // Keep the mode found by the first check. Changing the project adopts the mode of the new one.
  const enabledAtAdoption = (state === undefined ? mode : state.enabledAtAdoption) ?? null;
  const drift = driftOf(inputs.args, state, mode);
  if (drift !== undefined) await session.log("warning", drift);
  const marked = drift === undefined ? {} : { changedOutside: drift };
  return { inputs: { ...news, enabledAtAdoption, ...marked } };
}

function heldTwice(news: PropertyBag, holder: string): CheckResult {
  const reason = `"${escapeText(holder)}" already holds private IP mode of this project. Keep one of the two resources: each would undo the changes of the other.`;
  return { inputs: news, failures: [{ property: "projectId", reason }] };
}

function enablingWarning(projectId: string): string {
  return `enabling private IP mode of project ${escapeText(projectId)} changes what the host names of its clusters resolve to everywhere, and limits database connections from outside the peered network (service document 3).`;
}

/** Returns a warning if the setting was changed outside of this stack and the program did not change. */
function driftOf(
  { projectId, enabled }: Args,
  state: RecordedMode | undefined,
  mode: boolean | undefined,
): string | undefined {
  const isDrift = state?.enabled === enabled && mode !== undefined && mode !== enabled;
  if (!isDrift) return undefined;
  return `private IP mode of project ${escapeText(projectId)} was ${onOff(mode)} outside of this stack; the update turns it ${enabled ? "on" : "off"} again`;
}

function onOff(enabled: boolean): string {
  return enabled ? "turned on" : "turned off";
}

function diffModes(olds: PropertyBag, news: PropertyBag) {
  const [before, after] = [readRecorded(olds), knownInputs(news)];
  const isMoved = before.projectId !== after.projectId;
  const changes =
    isMoved ||
    before.enabled !== after.enabled ||
    before.onDelete !== after.onDelete ||
    "changedOutside" in news;
  return { changes, replaces: isMoved ? ["projectId"] : [] };
}

async function createMode(context: PrivateIpModeContext, inputs: PropertyBag) {
  const { enabledAtAdoption, ...wanted } = checkedInputs.parse(inputs);
  const before = await setMode(changeContext(context), { ...wanted, recorded: undefined });
  context.held().hold(wanted.projectId);
  const adopted = enabledAtAdoption ?? before ?? null;
  return { id: wanted.projectId, outs: { ...outputsOf(inputs), enabledAtAdoption: adopted } };
}

async function updateMode(context: PrivateIpModeContext, olds: PropertyBag, news: PropertyBag) {
  const state = readRecorded(olds);
  const wanted = checkedInputs.parse(news);
  await setMode(changeContext(context), { ...wanted, recorded: state.enabled });
  context.held().hold(wanted.projectId);
  const enabledAtAdoption = state.enabledAtAdoption ?? null;
  return { outs: { ...outputsOf(news), enabledAtAdoption } };
}

/** Returns the outputs to record: the inputs without the drift marker, which no longer applies. */
function outputsOf(inputs: PropertyBag): PropertyBag {
  const { changedOutside, alsoHeldBy, ...outputs } = withoutProvider(inputs);
  return outputs;
}

async function readMode(
  context: PrivateIpModeContext,
  id: string,
  props: PropertyBag,
): Promise<ReadResult> {
  const session = context.open();
  const state = readRecorded(props);
  try {
    const enabled = await observeMode(session, id, state.enabled);
    // If the service does not expose the setting, there is nothing to compare: keep the recorded one.
    const seen = {
      ...outputsOf(props),
      projectId: id,
      ...(enabled === undefined ? {} : { enabled }),
    };
    return { id, props: seen, inputs: { ...seen } };
  } catch (error) {
    if (!(await projectIsGone(session.client, id, error))) throw error;
    const problem = `project ${escapeText(id)} does not exist`;
    // The first read of a resource, by its ID, has no recorded state to remove.
    if (state.enabled === undefined) throw new ProviderError(`${problem}.`);
    await session.log("warning", `${problem}: its private IP mode is removed from the state`);
    return {};
  }
}

async function deleteMode(context: PrivateIpModeContext, id: string, props: PropertyBag) {
  const state = readRecorded(props);
  if (state.onDelete === "retain") return;
  await restoreMode(changeContext(context), id, state);
  context.held().release(id);
}

function changeContext(context: PrivateIpModeContext) {
  context.engine.start();
  return {
    session: context.open(),
    held: context.held,
    beforeChange: () => context.warning.flush(),
    engineIsGone: () => context.engine.isGone(),
  };
}
