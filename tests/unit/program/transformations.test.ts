import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import * as state from "@pulumi/pulumi/runtime/state";
import * as clouddb from "../../../provider/src";
import {
  lastTransformation,
  mayBeTransformed,
} from "../../../provider/src/program/transformations";
import { projectId } from "../../support/service";
import { useMockedEngine, valueOf } from "./mockedEngine";

class Child extends pulumi.CustomResource {}

class Component extends pulumi.ComponentResource {
  constructor(name: string, options: pulumi.ComponentResourceOptions) {
    super("test:index:Component", name, {}, options);
  }
}

/** A resource that takes a while to create. */
class Slow extends pulumi.CustomResource {
  declare readonly clusterName: pulumi.Output<string>;

  constructor(name: string) {
    super("test:index:Slow", name, { clusterName: sleep(300).then(() => "orders") });
  }
}

const args = { projectId, clusterName: "orders" };

/** What a transformation adds that a lookup then depends on. */
const dependencies: Record<string, (slow: Slow) => pulumi.ResourceTransformation> = {
  dependsOn:
    (dependsOn) =>
    ({ props, opts }) => ({ props, opts: { ...opts, dependsOn } }),
  "an argument":
    ({ clusterName }) =>
    ({ props, opts }) => ({ props: { ...props, clusterName }, opts }),
  "an argument that it waits for":
    ({ urn }) =>
    ({ props, opts }) => ({ props: { ...props, clusterName: waitFor(urn) }, opts }),
};

async function waitFor(output: pulumi.Output<unknown>): Promise<string> {
  await valueOf(output);
  return "orders";
}

/** Where a transformation stands. */
const places: Record<
  string,
  (name: string, transformation: pulumi.ResourceTransformation) => pulumi.CustomResourceOptions
> = {
  "of the lookup": (_name, transformation) => ({ transformations: [transformation] }),
  "of a parent": (name, transformation) => ({
    parent: new Component(`parent ${name}`, { transformations: [transformation] }),
  }),
  "of a parent's parent": (name, transformation) => {
    const parent = new Component(`outer ${name}`, { transformations: [transformation] });
    return { parent: new Component(`inner ${name}`, { parent }) };
  },
};

describe("a transformation", () => {
  const inputsOf = useMockedEngine({ sendsRequests: true });
  const listsOf = (name: string) =>
    (inputsOf[name] as { __bound?: { after?: number; mustBeRecent?: boolean } }).__bound ?? {};

  for (const [place, optionsOf] of Object.entries(places)) {
    it(`${place} makes it depend on what that adds to the options or the arguments`, async () => {
      const slow = new Slow(`slow ${place}`);
      const created = valueOf(slow.urn).then(() => Date.now());
      const lookups = Object.entries(dependencies).map(([dependency, transformationOf]) => {
        const name = `${dependency} ${place}`;
        const options = optionsOf(name, transformationOf(slow));
        return { name, lookup: new clouddb.ClusterConnectionStrings(name, args, options) };
      });
      for (const { name, lookup } of lookups) {
        await valueOf(lookup.urn);
        const { after = 0 } = listsOf(name);
        // Without the dependency, it would be the time of the construction, less 250 ms.
        assert.ok(after >= (await created) - 260, `${name}: ${after - (await created)} ms`);
      }
    });
  }

  it("sees no hidden input of a lookup, and its own inputs arrive", async () => {
    const seen: string[] = [];
    const transformation: pulumi.ResourceTransformation = ({ props, opts }) => {
      seen.push(...Object.keys(props));
      return { props: { ...props, form: "hosts" }, opts };
    };
    const options = { transformations: [transformation] };
    await valueOf(new clouddb.ClusterConnectionStrings("seen", args, options).urn);
    assert.ok(seen.includes("clusterName") && !seen.includes("__bound"), seen.join());
    const inputs = inputsOf["seen"] as Record<string, unknown>;
    assert.equal(inputs["form"], "hosts");
    assert.equal(typeof listsOf("seen").after, "number");
    assert.equal(listsOf("seen").mustBeRecent, false);
  });

  it("leaves the children of a lookup without hidden inputs", async () => {
    const parent = new clouddb.ClusterConnectionStrings("with child", args);
    for (const name of ["child", "second child"]) {
      const child = new Child("test:index:Child", name, {}, { parent });
      await valueOf(child.urn);
      assert.deepEqual(inputsOf[name], {});
    }
    const lookup = new clouddb.ClusterConnectionStrings("child lookup", args, { parent });
    await valueOf(lookup.urn);
    assert.equal(typeof listsOf("child lookup").after, "number");
  });

  it("adds nothing if the SDK no longer has the list of them", () => {
    const transformation = lastTransformation(() => ({ added: 1 }));
    const called = { resource: {} as pulumi.Resource, type: "", name: "", props: {}, opts: {} };
    assert.equal(transformation(called), undefined);
  });
});

describe("a transform in the engine", () => {
  const transform: pulumi.ResourceTransform = () => undefined;

  it("may run if the options have one, or the SDK has a server for those of parents and the stack", () => {
    assert.equal(mayBeTransformed({}), false);
    assert.equal(mayBeTransformed({ transforms: [] }), false);
    assert.equal(mayBeTransformed({ transforms: [transform] }), true);
    const getStore = Reflect.get(state, "getStore") as () => { callbacks?: object };
    const store = getStore();
    store.callbacks = {};
    try {
      assert.equal(mayBeTransformed({}), true);
    } finally {
      delete store.callbacks;
    }
  });
});
