/**
 * Handles a project's private IP mode when its resource is deleted. The mode is kept, or, with
 * `onDelete: "restore"`, set back to its value at adoption unless another resource may depend on it.
 */
import { escapeText } from "../api/text";
import { projectIsGone } from "../providerProcess/projectExistence";
import type { Session } from "../session/session";
import { type ModeChangeContext, observeMode, setMode } from "./modeChange";
import type { RecordedMode } from "./args";
import type { Managers } from "./managers";

/** What a restore needs from the process that makes it. */
export interface RestoreContext extends ModeChangeContext {
  /** The session with the service. */
  readonly session: Session;
  /** Returns what manages the modes. */
  readonly managers: () => Managers;
}

/**
 * Sets the mode back to its value at adoption. The guard applies as to any disable. Logs every
 * restore, or the reason for keeping the mode (docs/decisions/0012-who-manages-a-mode.md).
 *
 * @param context what the restore needs
 * @param projectId the ID of the project
 * @param state the recorded state of the deleted resource
 * @throws ProviderError if the guard or the service refuses the change, or if the engine is gone
 * @throws ApiError if the service fails
 */
export async function restoreMode(
  context: RestoreContext,
  projectId: string,
  state: RecordedMode,
): Promise<void> {
  const { log } = context.session;
  const name = `private IP mode of project ${escapeText(projectId)}`;
  const decision = await decide(context, projectId, state);
  if (decision.kind === "keep") await log("warning", `${name} is kept as it is: ${decision.why}`);
  if (decision.kind !== "restore") return;
  await setMode(context, {
    projectId,
    enabled: decision.enabled,
    recorded: state.enabled,
    remedy: 'keep the mode: set onDelete to "retain" and update',
  });
  await log(
    "warning",
    `${name} was turned back ${decision.enabled ? "on" : "off"}, its value when this resource was created (onDelete: "restore"). If a resource of another stack manages it, its next preview shows a change.`,
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
  const adopted = state.enabledAtAdoption ?? undefined;
  if (adopted === undefined) return keep("its value before this resource was created is not known");
  const other = managers().findOther(projectId, state.managingStack);
  if (other.kind === "found") return keep(other.who);
  if (other.kind === "unknown") {
    return keep(
      "it could not be determined whether another resource manages it, because the temporary folder cannot be used",
    );
  }
  const mode = await observeUnlessGone(session, projectId, state.enabled);
  if (mode === "gone") return keep("the project does not exist");
  if (mode === adopted) return { kind: "unchanged" };
  if (mode !== state.enabled) return keep("it was changed outside of this stack");
  return { kind: "restore", enabled: adopted };
}

function keep(why: string): Decision {
  return { kind: "keep", why };
}

async function observeUnlessGone(
  session: Session,
  projectId: string,
  recorded: boolean | undefined,
): Promise<boolean | undefined | "gone"> {
  try {
    return await observeMode(session, projectId, recorded);
  } catch (error) {
    if (await projectIsGone(session.client, projectId, error)) return "gone";
    throw error;
  }
}
