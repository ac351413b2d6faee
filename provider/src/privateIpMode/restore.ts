/** Sets a project's private IP mode back when its resource is deleted, unless something else may depend on it. */
import { escapeText, onOrOff } from "../messages/text";
import { projectIsGone } from "../service/projectExistence";
import type { Session } from "../service/session";
import type { RecordedMode } from "./state";
import type { ModeManagers } from "./modeManagers";
import { type ModeChangeContext, observeMode, setMode } from "./modeChange";

export interface RestoreContext extends ModeChangeContext {
  readonly session: Session;
  readonly managers: Pick<ModeManagers, "findOther">;
}

/**
 * Sets the mode of a deleted resource back to its value at adoption. The guard applies as for any attempt to disable.
 * Logs every restore, or the reason for keeping the mode (docs/internals/decisions/0012-who-manages-a-mode.md).
 * Throws as {@link setMode} does.
 */
export async function restoreMode(
  context: RestoreContext,
  projectId: string,
  state: RecordedMode,
  timeoutSeconds?: number,
): Promise<void> {
  const { log } = context.session;
  const name = `private IP mode of project ${escapeText(projectId)}`;
  const decision = await decide(context, projectId, state);
  if (decision.kind === "keep") {
    await log("warning", `${name} was left unchanged because ${decision.why}`, "mode-kept");
  }
  if (decision.kind !== "restore") return;
  await setMode(context, {
    projectId,
    enabled: decision.enabled,
    recorded: state.enabled,
    timeoutSeconds,
    remedy: 'keep the mode: set onDelete to "retain" and update',
  });
  await log(
    "warning",
    `${name} was turned back ${onOrOff(decision.enabled)}, its value when this resource was created (onDelete: "restore"). If another stack manages this mode, its next preview will show a change.`,
    "restored",
  );
}

type Decision =
  | { readonly kind: "restore"; readonly enabled: boolean }
  | { readonly kind: "keep"; readonly why: string }
  /** The mode already has its value at adoption. */
  | { readonly kind: "unchanged" };

async function decide(
  { session, managers }: RestoreContext,
  projectId: string,
  state: RecordedMode,
): Promise<Decision> {
  const keep = (why: string) => ({ kind: "keep", why }) as const;
  const adopted = state.enabledAtAdoption ?? undefined;
  if (adopted === undefined) return keep("its value before this resource was created is not known");
  const other = managers.findOther(projectId);
  if (typeof other === "object") return keep("another resource of this stack manages it now");
  if (other === "unknown") {
    return keep("the temporary folder cannot be used, so another resource could manage it");
  }
  try {
    const mode = await observeMode(session, projectId, state.enabled);
    if (mode === adopted) return { kind: "unchanged" };
    // A refresh records what others set, so the recorded mode alone does not say what the stack set.
    const isOwn = mode === (state.__setByStack ?? state.enabled);
    return isOwn
      ? { kind: "restore", enabled: adopted }
      : keep("it was changed outside of this stack");
  } catch (error) {
    if (await projectIsGone(session.client, projectId, error))
      return keep("the project does not exist");
    throw error;
  }
}
