/**
 * Two resources of a stack that hold the same project's mode would undo each other's changes in
 * every update. The provider process cannot tell them apart (it sees neither names nor URNs), so the
 * program does, and has `check` refuse the second (docs/decisions/0007-one-holder-of-a-mode.md).
 */
import { serviceOf } from "../engine/provider";
import { runState } from "../engine/runState";
import * as pulumi from "../engine/sdk";

interface Holder {
  readonly name: string;
}

/** Holders by service, then by project. */
type Holders = Map<unknown, Map<string, Holder>>;

/**
 * Records that a resource holds a project's mode. Two resources count as holders of one project only
 * if they surely use the same service ({@link serviceOf}): a refusal of two that do not would leave
 * no way to declare both.
 *
 * @param name the name of the resource
 * @param projectId the project
 * @param provider the resource's provider; undefined for the stack's default one
 * @returns the name of the resource of this run that holds the project already, if there is one
 */
export function earlierHolder(
  name: string,
  projectId: pulumi.Input<string>,
  provider: pulumi.ProviderResource | undefined,
): pulumi.Input<string | undefined> {
  const holders = runState("holders.1", isHolders, (): Holders => new Map());
  if (holders === undefined) return undefined;
  const ofService = entry(holders, serviceOf(provider), () => new Map<string, Holder>());
  const self: Holder = { name };
  const earlier = (id: string) => {
    const holder = entry(ofService, id, () => self);
    return holder === self ? undefined : holder.name;
  };
  return typeof projectId === "string"
    ? earlier(projectId)
    : pulumi.output(projectId).apply(earlier);
}

/** Only this module, of any copy of the package, puts a map there. */
function isHolders(value: unknown): value is Holders {
  return value instanceof Map;
}

function entry<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  create: () => Value,
): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
