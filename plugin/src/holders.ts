/**
 * Detects two resources in a stack that hold the same project's mode: they would undo each other's
 * changes in every update (docs/decisions/0007-one-holder-of-a-mode.md).
 */

/** The resources that this process checked, by the project whose mode they hold. */
export class ModeHolders {
  readonly #urns = new Map<string, string>();

  /**
   * Records that a resource holds a project's mode.
   *
   * @param urn the resource
   * @param projectId the project; ignored unless it is a text, as in a preview that does not know it yet
   * @returns the name of the resource that already holds it; undefined if there is no other
   */
  hold(urn: string, projectId: unknown): string | undefined {
    if (typeof projectId !== "string") return undefined;
    const holder = this.#urns.get(projectId) ?? urn;
    this.#urns.set(projectId, holder);
    return holder === urn ? undefined : nameOf(holder);
  }
}

/** Returns the name in a URN, `urn:pulumi:<stack>::<project>::<type>::<name>`. */
function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}
