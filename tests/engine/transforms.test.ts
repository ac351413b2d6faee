/** Which lists lookups use if a transformation hides what they depend on, or if nothing says it, on the real engine. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import { projectId } from "../support/service";
import { ClusterConnectionStrings as PluginLookup } from "./attachedPlugin";
import { type Change, assertAllNew, useClusterChanges } from "./clusterChanges";
import { useStack } from "./useStack";

/** A transformation that the SDK runs, and a transform that the engine runs. */
interface Transformations {
  readonly transformation?: pulumi.ResourceTransformation;
  readonly transform?: pulumi.ResourceTransform;
}

/** What a transformation adds to a lookup that then depends on a change. */
const dependencies: Record<string, (change: Change) => Required<Transformations>> = {
  dependsOn: (dependsOn) => ({
    transformation: ({ props, opts }) => ({ props, opts: { ...opts, dependsOn } }),
    transform: ({ props, opts }) => ({ props, opts: { ...opts, dependsOn } }),
  }),
  argument: ({ cluster: clusterName }) => ({
    transformation: ({ props, opts }) => ({ props: { ...props, clusterName }, opts }),
    transform: ({ props, opts }) => ({ props: { ...props, clusterName }, opts }),
  }),
  await: ({ cluster }) => {
    const clusterName = new Promise<string>((resolve) => cluster.apply(resolve));
    return {
      transformation: ({ props, opts }) => ({ props: { ...props, clusterName }, opts }),
      transform: async ({ props, opts }) => {
        return { props: { ...props, clusterName: await clusterName }, opts };
      },
    };
  },
};

class Component extends pulumi.ComponentResource {
  constructor(name: string, options: pulumi.ComponentResourceOptions = {}) {
    super("test:index:Component", name, {}, options);
  }
}

const asOptions = ({ transformation, transform }: Transformations) => ({
  ...(transformation && { transformations: [transformation] }),
  ...(transform && { transforms: [transform] }),
});

/** Where a transformation stands. Returns the options of the lookup with the name. */
const places: Record<string, (name: string, all: Transformations) => pulumi.CustomResourceOptions> =
  {
    own: (_name, all) => asOptions(all),
    parent: (name, all) => ({ parent: new Component(`parent-of-${name}`, asOptions(all)) }),
    stack: (name, { transformation, transform }) => {
      if (transformation !== undefined) {
        pulumi.runtime.registerStackTransformation((resource) =>
          resource.name === name ? transformation(resource) : undefined,
        );
      }
      if (transform !== undefined) {
        pulumi.runtime.registerResourceTransform((resource) =>
          resource.name === name ? transform(resource) : undefined,
        );
      }
      return {};
    },
  };

const args = { projectId, clusterName: "orders" };
const move = { cluster: "orders", action: "moves", generation: 1 } as const;

/** A resource of another provider that has a value, and no transformations of the stack. */
class Value extends pulumi.dynamic.Resource {
  declare readonly recommended: pulumi.Output<string>;

  constructor(
    name: string,
    recommended: pulumi.Input<string>,
    options: pulumi.CustomResourceOptions,
  ) {
    const create = (outs: object) => Promise.resolve({ id: "1", outs });
    super({ create }, name, { recommended }, options);
  }
}

describe("the list of a lookup", () => {
  const { service, createInline } = useStack();
  const changeCluster = useClusterChanges(service);

  it("is of after a change that a transformation or a transform makes the lookup depend on", async () => {
    const { stack } = await createInline(() => {
      new clouddb.ClusterConnectionStrings("first", args);
      const change = changeCluster("move", { ...move, seconds: 3 });
      const found: Record<string, pulumi.Output<string | undefined>> = {};
      for (const [place, optionsOf] of Object.entries(places)) {
        for (const [dependency, transformationsOf] of Object.entries(dependencies)) {
          const { transformation, transform } = transformationsOf(change);
          const ofSdk = `${place}-sdk-${dependency}`;
          const ofEngine = `${place}-engine-${dependency}`;
          for (const [name, options] of [
            [ofSdk, optionsOf(ofSdk, { transformation })],
            [ofEngine, optionsOf(ofEngine, { transform })],
          ] as const) {
            const lookup = new clouddb.ClusterConnectionStrings(name, args, options);
            found[name] = lookup.recommended;
          }
        }
      }
      return Promise.resolve(found);
    });
    const { outputs } = await stack.up();
    assertAllNew(outputs, 18);
  });

  for (const seconds of [3, 8]) {
    it(`is of after a change of ${seconds} s before a lookup of the plugin or .get, although a list before it waited for a 429`, async () => {
      const limited = { status: 429, headers: { "retry-after": "5" } };
      const listing = { path: /\/clusters$/, withCredentials: true, ...limited };
      service.faults.push(listing, listing);
      const { stack } = await createInline(() => {
        const ofBilling = { projectId, clusterName: "billing" };
        const first = [
          new PluginLookup("first", ofBilling),
          clouddb.ClusterConnectionStrings.get("first", `${projectId}/billing`),
        ];
        const changed = { ...move, seconds: 0, secondsAfter: seconds };
        const dependsOn = changeCluster("move", changed, { dependsOn: first });
        const id = `${projectId}/orders`;
        return Promise.resolve({
          plugin: new PluginLookup("second", args, { dependsOn }).recommended,
          get: clouddb.ClusterConnectionStrings.get("second", id, { dependsOn }).recommended,
        });
      });
      const { outputs } = await stack.up();
      assert.equal(service.faults.pending.length, 0);
      for (const { value } of Object.values(outputs)) {
        assert.match(String(value), /^db\+srv:\/\/orders-1\./);
      }
      service.project().updateCluster("orders", { hostName: "orders-2" });
      await sleep(3000);
      const { summary } = await stack.refresh();
      assert.equal(summary.resourceChanges?.update, 2);
    });
  }

  describe("of 200 lookups", () => {
    /** Returns how often the list was read meanwhile, and how many seconds that took. */
    const listsDuring = async (work: () => Promise<unknown>) => {
      const count = () => service.listings().filter(({ query }) => query["pageNum"] === "1").length;
      const [before, start] = [count(), Date.now()];
      await work();
      return { lists: count() - before, seconds: (Date.now() - start) / 1000 };
    };
    const tag: pulumi.ResourceTransformation = ({ type, props, opts }) => {
      return { props: type.startsWith("aws:") ? { ...props, tags: {} } : props, opts };
    };
    const lookUp = (Lookup: new (name: string, lookup: typeof args) => unknown) => {
      for (let index = 0; index < 200; index += 1) new Lookup(`lookup${index}`, args);
    };

    it("is read once in a preview, even if a transformation of the stack adds tags", async () => {
      for (const transformations of [[], [tag]]) {
        const { stack } = await createInline(() => {
          for (const each of transformations) pulumi.runtime.registerStackTransformation(each);
          lookUp(clouddb.ClusterConnectionStrings);
          return Promise.resolve({});
        });
        assert.equal((await listsDuring(() => stack.preview())).lists, 1);
      }
    });

    it("is read at most every two seconds if a transform of the stack may add dependencies", async () => {
      const { stack } = await createInline(() => {
        pulumi.runtime.registerResourceTransform(() => undefined);
        lookUp(clouddb.ClusterConnectionStrings);
        return Promise.resolve({});
      });
      const { lists, seconds } = await listsDuring(() => stack.preview());
      assert.ok(lists >= 1 && lists <= 1 + seconds / 2, `${lists} lists in ${seconds} s`);
    });

    it("is read a few times by lookups of the plugin, although it takes five seconds", async () => {
      const slow = { path: /\/clusters$/, withCredentials: true, delayMs: 5000, times: Infinity };
      service.faults.push(slow);
      const { stack } = await createInline(() => {
        lookUp(PluginLookup);
        return Promise.resolve({});
      });
      // On a machine that does nothing else, 2 and 4.
      const preview = await listsDuring(() => stack.preview());
      const up = await listsDuring(() => stack.up());
      assert.ok(preview.lists <= 3, `${preview.lists} lists in a preview`);
      assert.ok(up.lists <= 6, `${up.lists} lists in an update`);
    });
  });

  it("does not wait for a sibling that uses the lookup, although options of the lookup name their component", async () => {
    const { stack } = await createInline(() => {
      const parent = new Component("component");
      const options = {
        parent,
        deletedWith: parent,
        aliases: [{ name: "old", parent }, { parent: parent.urn }],
      };
      const lookup = new clouddb.ClusterConnectionStrings("lookup", args, options);
      const plain = new Value("plain", "x", options);
      new Value("of lookup", lookup.recommended, { parent });
      new Value("of plain", plain.recommended, { parent });
      return Promise.resolve({});
    });
    assert.equal((await stack.up()).summary.result, "succeeded");
  });
});
