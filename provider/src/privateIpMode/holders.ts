/**
 * Two resources of a stack that hold the same project's mode would undo each other's changes in
 * every update. The provider process cannot tell them apart (it sees neither names nor URNs), so the
 * program does, and has `check` refuse the second (docs/decisions/0007-one-holder-of-a-mode.md).
 */
import * as pulumi from "../engine/sdk";
import { serviceOf } from "../engine/provider";

interface Holder {
  readonly name: string;
}

/** Holders by project, for each service, in each run of a program: several runs may share a process. */
const holders = new WeakMap<object, Map<unknown, Map<string, Holder>>>();

/**
 * Notes that a resource of this name holds a project's mode. Gives the name of the resource of this
 * run that holds it already, if there is one.
 */
export function earlierHolder(
  name: string,
  projectId: pulumi.Input<string>,
  provider: pulumi.ProviderResource | undefined,
): pulumi.Input<string | undefined> {
  const run = pulumi.getStackResource();
  if (run === undefined) return undefined;
  const ofRun = entry(holders, run, () => new Map<unknown, Map<string, Holder>>());
  const ofService = entry(ofRun, serviceOf(provider), () => new Map<string, Holder>());
  const self: Holder = { name };
  const earlier = (id: string) => {
    const holder = entry(ofService, id, () => self);
    return holder === self ? undefined : holder.name;
  };
  return typeof projectId === "string"
    ? earlier(projectId)
    : pulumi.output(projectId).apply(earlier);
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
