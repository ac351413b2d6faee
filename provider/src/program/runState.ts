/**
 * State that belongs to one run of a program. Several runs may share a process (the Automation API),
 * and one run may load several copies of this package (npm installs one for each dependent that
 * requires another version), so the state is kept on the run's stack resource, under a name that all
 * copies know.
 */
import * as pulumi from "./sdk";

/**
 * Returns the state of the current run, which is created on first use.
 *
 * @param name the name of the state; a change of its shape needs another name
 * @param isState returns whether a value is a state of this shape
 * @param create creates the state
 * @returns the state; undefined outside of a run, as in unit tests with mocks
 */
export function runState<State extends object>(
  name: string,
  isState: (value: unknown) => value is State,
  create: () => State,
): State | undefined {
  const run = pulumi.getStackResource();
  if (run === undefined) return undefined;
  const key = Symbol.for(`pulumi-clouddb.${name}`);
  const existing: unknown = Reflect.get(run, key);
  if (isState(existing)) return existing;
  const state = create();
  Object.defineProperty(run, key, { value: state, configurable: true });
  return state;
}
