/** An engine for programs in unit tests: Pulumi's mocks. */
import * as pulumi from "@pulumi/pulumi";

/**
 * Registers hooks that mock the engine for the tests of the enclosing `describe`, each with an empty
 * stack configuration.
 *
 * @returns the inputs of the resources that the current test has created, by name
 */
export function useMockedEngine(): Record<string, unknown> {
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
  });
  beforeEach(reset);
  after(reset);
  return inputsByName;
}
