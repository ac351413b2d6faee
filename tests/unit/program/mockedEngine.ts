/** An engine for programs in unit tests: Pulumi's mocks. */
import * as pulumi from "@pulumi/pulumi";

/**
 * Registers hooks that mock the engine for the tests of the enclosing `describe`, each with an empty stack
 * configuration.
 *
 * @param options sendsRequests: whether functions send requests as on a real engine, instead of asking the mock
 * @returns the inputs of the resources that the current test has created, by name
 */
export function useMockedEngine({ sendsRequests = false } = {}): Record<string, unknown> {
  const inputsByName: Record<string, unknown> = {};
  const reset = () => {
    for (const name of Object.keys(inputsByName)) Reflect.deleteProperty(inputsByName, name);
    pulumi.runtime.setAllConfig({});
  };
  before(async () => {
    const newResource: pulumi.runtime.Mocks["newResource"] = ({ name, inputs }) => {
      inputsByName[name] = inputs;
      return { id: name, state: inputs as object };
    };
    await pulumi.runtime.setMocks({ newResource, call: () => ({}) });
    if (sendsRequests) pulumi.runtime.setMockOptions(withoutMocks(pulumi.runtime.getMonitor()));
  });
  beforeEach(reset);
  after(reset);
  return inputsByName;
}

/** Returns the value of an output. */
export const valueOf = <T>(output: pulumi.Output<T>) =>
  new Promise<T>((resolve) => {
    output.apply(resolve);
  });

/** Returns a monitor that does not show its mocks. */
function withoutMocks(monitor: object = {}): object {
  const has = (target: object, name: string | symbol) => name !== "mocks" && name in target;
  return new Proxy(monitor, { has });
}
