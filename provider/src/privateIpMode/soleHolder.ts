/**
 * Two resources of a stack that hold the same project's mode would undo each other's changes in
 * every update. The provider process cannot tell them apart (it sees neither names nor URNs), so the
 * program refuses the second one, in preview already
 * (docs/decisions/0007-one-holder-of-a-mode.md).
 */
import * as pulumi from "@pulumi/pulumi";
import { serviceOf } from "../engine/provider";

/** Resource names by project, for each service, in each run of a program: runs may share a process. */
const holders = new WeakMap<object, Map<unknown, Map<string, string>>>();

/**
 * The project id, after it is noted whose it is. Throws a `RunError`, now or when the id is known,
 * where another resource of this run has it already.
 */
export function soleHolder(
  name: string,
  projectId: pulumi.Input<string>,
  provider: pulumi.ProviderResource | undefined,
): pulumi.Input<string> {
  const run = pulumi.runtime.getStackResource();
  if (run === undefined) return projectId;
  const ofRun = entry(holders, run, () => new Map<unknown, Map<string, string>>());
  const names = entry(ofRun, serviceOf(provider), () => new Map<string, string>());
  const note = (id: string) => {
    const holder = entry(names, id, () => name);
    if (holder === name) return id;
    throw new pulumi.RunError(
      `PrivateIpMode "${name}": "${holder}" holds private IP mode of project ${id} already. Keep one of the two: each would undo what the other does.`,
    );
  };
  return typeof projectId === "string" ? note(projectId) : pulumi.output(projectId).apply(note);
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
