/** Resources of another package, which receive strings in programs of the tests. */
import * as pulumi from "@pulumi/pulumi";

/** A provider of resources whose output `value` is known after each change. Those with `isReplaced` are replaced. */
const otherProvider = `exports.handler = () => {
  const inputsOf = ({ value, __provider, ...inputs }) => inputs;
  const outs = (inputs) => ({ ...inputs, value: "value-" + Math.random() });
  return {
    create: async (inputs) => ({ id: "id", outs: outs(inputs) }),
    update: async (id, olds, news) => ({ outs: outs(news) }),
    diff: async (id, olds, news) => {
      const changes = !require("node:util").isDeepStrictEqual(inputsOf(olds), inputsOf(news));
      return { changes, replaces: changes && news.isReplaced ? ["data"] : [], deleteBeforeReplace: true };
    },
  };
};`;

/** A resource of another package. */
export class Other extends pulumi.CustomResource {
  declare readonly value: pulumi.Output<string>;

  constructor(
    type: string,
    name: string,
    inputs: pulumi.Inputs,
    options: pulumi.CustomResourceOptions = {},
  ) {
    const properties = { value: undefined, ...inputs, __provider: otherProvider };
    super(`pulumi-nodejs:dynamic/app:${type}`, name, properties, options);
  }
}
