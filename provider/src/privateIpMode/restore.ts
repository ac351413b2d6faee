/**
 * Handles a project's private IP mode when its resource is deleted. The mode is kept, or, with
 * `onDelete: "restore"`, set back to its value at adoption unless another resource may depend on it.
 */
import { escapeText } from "../api/escapeText";
import { projectIsGone } from "../providerProcess/projectExistence";
import type { Session } from "../session/session";
import type { HeldProjects } from "./heldProjects";
import { type ModeChangeContext, observeMode, setMode } from "./modeChange";
import type { RecordedMode } from "./recordedMode";

export interface RestoreContext extends ModeChangeContext {
  readonly session: Session;
  readonly held: () => HeldProjects;
}

/**
 * Sets the mode back to its value at adoption. The guard applies as to any disable. Logs every
 * restore, or the reason for keeping the mode.
 *
 * @throws ProviderError if the guard refuses the change, and ApiError if the service fails
 */
export async function restoreMode(
  context: RestoreContext,
  projectId: string,
  state: RecordedMode,
): Promise<void> {
  const { session } = context;
  const name = `private IP mode of project ${escapeText(projectId)}`;
  const keep = async (why: string) => {
    await session.log("warning", `${name} is kept as it is: ${why}`);
  };
  const adopted = state.enabledAtAdoption ?? undefined;
  if (adopted === undefined) {
    await keep("its value before this resource held it is not known");
    return;
  }
  const holding = context.held().look(projectId);
  if (holding.kind === "held") {
    await keep(holding.by);
    return;
  }
  if (holding.kind === "unknown") {
    await keep(
      "it could not be determined whether another resource holds it, because the folder for temporary files cannot be used",
    );
    return;
  }
  const mode = await observeUnlessGone(session, projectId, state.enabled);
  if (mode === "gone") {
    await keep("the project does not exist");
    return;
  }
  if (mode === adopted) return;
  if (mode !== state.enabled) {
    await keep("it was changed outside of this stack");
    return;
  }
  await setMode(context, {
    projectId,
    enabled: adopted,
    recorded: state.enabled,
    remedy: 'keep the mode: set onDelete to "retain" and update',
  });
  await session.log(
    "warning",
    `${name} was turned back ${adopted ? "on" : "off"}, its value when this resource was created (onDelete: "restore"). If a resource of another stack holds it, its next preview shows a change.`,
  );
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
