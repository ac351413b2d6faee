/**
 * What becomes of a project's private IP mode when its resource is deleted: it is kept, or with
 * `onDelete: "restore"` set back to what it was at adoption, unless somebody else may depend on it.
 */
import { escapeText } from "../api/escapeText";
import { projectIsGone } from "../projectExistence";
import type { Session } from "../session";
import type { HeldProjects } from "./heldProjects";
import type { RecordedMode } from "./lifecycle";
import { type ModeChangeContext, observeMode, setMode } from "./modeChange";

export interface RestoreContext extends ModeChangeContext {
  readonly session: Session;
  readonly held: () => HeldProjects;
}

/**
 * Sets the mode back to what it was at adoption, guarded like any disable. Every restore is logged,
 * and so is the reason when the mode is kept.
 *
 * @throws ProviderError when the guard refuses, and ApiError when the service fails
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
    await keep("what it was before this resource held it is not known");
    return;
  }
  const holding = context.held().look(projectId);
  if (holding.kind === "held") {
    await keep(holding.by);
    return;
  }
  if (holding.kind === "unknown") {
    await keep(
      "whether another resource holds it could not be found out, because the folder for temporary files cannot be used",
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
    `${name} is turned back ${adopted ? "on" : "off"}, as it was found when this resource was created (onDelete: "restore"). A resource of another stack that holds it shows a change in its next preview.`,
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
