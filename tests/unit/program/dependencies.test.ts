import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "../../../provider/src";
import { earliestRequest } from "../../../provider/src/program/dependencies";
import { projectId } from "../../support/service";
import { useMockedEngine, valueOf } from "./mockedEngine";

/** A resource that takes a while to create. */
class Slow extends pulumi.CustomResource {
  declare readonly done: pulumi.Output<string>;

  constructor(name: string, events: string[], options?: pulumi.CustomResourceOptions) {
    const done = sleep(50).then(() => {
      events.push(name);
      return "done";
    });
    super("test:index:Slow", name, { done }, options);
  }
}

class Sibling extends pulumi.CustomResource {}

class Component extends pulumi.ComponentResource {
  constructor(name: string, options?: pulumi.ComponentResourceOptions) {
    super("test:index:Component", name, {}, options);
  }
}

/** A component that creates its child later. */
class LateComponent extends pulumi.ComponentResource {
  constructor(name: string, events: string[]) {
    super("test:index:LateComponent", name, { events });
  }

  protected override async initialize({ events }: { readonly events: string[] }): Promise<void> {
    await sleep(10);
    new Slow("late", events, { parent: this });
  }
}

type OptionsOf = (slow: Slow) => pulumi.CustomResourceOptions;

const args = { projectId, clusterName: "orders" };

describe("the dependencies of a lookup", () => {
  const inputs = useMockedEngine({ sendsRequests: true });
  let events: string[];
  beforeEach(() => {
    events = [];
  });

  const ways: Record<string, OptionsOf> = {
    dependsOn: (slow) => ({ dependsOn: slow }),
    deletedWith: (slow) => ({ deletedWith: slow }),
    replaceWith: (slow) => ({ replaceWith: [slow] }),
    replacementTrigger: (slow) => ({ replacementTrigger: slow.done }),
    parent: (slow) => ({ parent: slow }),
    aliases: (slow) => ({ aliases: [{ parent: slow }] }),
  };
  for (const [what, optionsOf] of Object.entries(ways)) {
    it(`include the option ${what}`, async () => {
      await earliestRequest({}, optionsOf(new Slow(what, events)));
      assert.deepEqual(events, [what]);
    });
  }

  it("include the provider", async () => {
    const region = sleep(50).then(() => "x");
    const provider = new clouddb.Provider("slow provider", { caFile: region });
    const created = valueOf(provider.urn).then(() => events.push("created"));
    await earliestRequest({}, { provider });
    await created;
    assert.deepEqual(events, ["created"]);
  });

  it("include an output in an argument, in a list or an object of it, and what it comes from", async () => {
    const slow = new Slow("argument", events);
    await earliestRequest({ network: [{ region: pulumi.interpolate`${slow.id}` }] });
    assert.deepEqual(events, ["argument"]);
  });

  it("include what is in a component of a component", async () => {
    const outer = new Component("outer");
    new Slow("inner", events, { parent: new Component("middle", { parent: outer }) });
    await earliestRequest({}, { dependsOn: outer });
    assert.deepEqual(events, ["inner"]);
  });

  it("include what a component creates later", async () => {
    await earliestRequest({}, { dependsOn: new LateComponent("late component", events) });
    assert.deepEqual(events, ["late"]);
  });

  it("include what is in a component that an output comes from or contains", async () => {
    const contentsOf = (name: string) => {
      const component = new Component(`with ${name}`);
      new Slow(name, events, { parent: component });
      return component;
    };
    const source = contentsOf("source");
    await earliestRequest({ clusterName: source.urn.apply(() => "orders") });
    assert.deepEqual(events, ["source"]);
    const contained = contentsOf("contained");
    await earliestRequest({}, { dependsOn: pulumi.output("any").apply(() => [contained]) });
    assert.deepEqual(events, ["source", "contained"]);
  });

  it("exclude what else is in the parent of the lookup or of an alias, or in what deletes the lookup", async () => {
    const component = new Component("own");
    const resource = new Slow("own resource", events);
    // The siblings use the lookup.
    let useLookup: (found: string) => void = () => undefined;
    const used = new Promise<string>((resolve) => (useLookup = resolve));
    for (const [index, parent] of [component, resource].entries()) {
      new Sibling("test:index:Sibling", `sibling ${index}`, { used }, { parent });
      await earliestRequest({}, { deletedWith: parent, parent, aliases: [{ parent }, parent.urn] });
    }
    await earliestRequest({}, { dependsOn: resource });
    useLookup("found");
  });

  it("exclude the lookup itself, in a component that it depends on", async () => {
    const start = Date.now() + 40;
    const parent = new Component("with a lookup");
    const dependsOn = [parent, new Slow("before the lookup", events)];
    const options = { parent, dependsOn };
    const lookup = new clouddb.ClusterConnectionStrings("in component", args, options);
    await valueOf(lookup.urn);
    assert.deepEqual(events, ["before the lookup"]);
    const { after } = (inputs["in component"] as { __bound: { after: number } }).__bound;
    assert.ok(after > start, `${after - start} ms`);
  });

  it("are found in a value that contains itself, or whose parts share parts, once each", async () => {
    const cycle: Record<string, unknown> = { slow: new Slow("shared", events).done };
    cycle["self"] = [cycle];
    let shared: object = cycle;
    for (let level = 0; level < 30; level += 1) shared = { left: shared, right: shared };
    await earliestRequest(shared);
    assert.deepEqual(events, ["shared"]);
  });

  it("ended 250 ms ago if there are none, and now if one of them fails", async () => {
    const start = Date.now();
    const none = await earliestRequest({ clusterName: "orders", waitSeconds: null });
    assert.ok(none >= start - 250 && none <= Date.now() - 250, `${none - start} ms`);
    const unknown = await earliestRequest({ clusterName: { __pulumiOutput: true } });
    assert.ok(unknown >= start, "the SDK no longer says where an output comes from");
    const failed = await earliestRequest({ clusterName: Promise.reject(new Error("failed")) });
    assert.ok(failed >= start, `${failed - start} ms`);
  });

  it("ended at one time for all lookups with the same dependency", async () => {
    const dependsOn = new Slow("for two", events);
    const first = await earliestRequest({}, { dependsOn });
    await sleep(20);
    assert.equal(await earliestRequest({}, { dependsOn: [dependsOn] }), first);
  });
});
