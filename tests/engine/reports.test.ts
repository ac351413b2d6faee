/** The reports of resources that the npm package and the plugin describe in different ways. */
import assert from "node:assert/strict";
import type { EngineEvent, PulumiFn } from "@pulumi/pulumi/automation";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import { buildReport } from "../../provider/src/report/decide/buildReport";
import { projectId, quickstartSeed } from "../support/service";
import { markdown } from "../../provider/src/report/write/markdown";
import { eventLog } from "../unit/report/recorded";
import * as plugin from "./attachedPlugin";
import { staging, withStaging } from "./recordedPreviews";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

describe("a report of two projects", () => {
  const { service, createInline } = useStack({ seed: withStaging(quickstartSeed()) });

  it("is one failed preview if two resources of one name, with other parents, manage a project", async () => {
    const twice = () => {
      for (const component of ["one", "other"]) {
        const parent = new pulumi.ComponentResource(`tests:index:${component}`, component);
        new clouddb.PrivateIpMode("mode", { projectId, enabled: true }, { parent });
      }
      return Promise.resolve({});
    };
    const { stack } = await createInline(twice);
    const refusal = /"mode" already manages private IP mode of this project/;
    await assert.rejects(stack.preview(), refusal);
  });

  for (const [kind, PrivateIpMode] of [
    ["pulumi-clouddb", clouddb.PrivateIpMode],
    ["the plugin", plugin.PrivateIpMode],
  ] as const) {
    const modes = (production: boolean, other: boolean) => () => {
      new PrivateIpMode("production", { projectId, enabled: production });
      new PrivateIpMode("staging", { projectId: staging, enabled: other });
      return Promise.resolve({});
    };

    it(`says which mode changes from what with ${kind}, and that nothing changes afterwards`, async () => {
      service.project(staging).setPrivateIpMode(true);
      service.project().setPrivateIpMode(true);
      const tested = await createInline(modes(true, false));
      assert.deepEqual(await changesIn(tested), [
        ["production", "program", undefined, "on"],
        ["staging", "program", "on", "off"],
      ]);
      await assertUnchangedAfterUpdate(tested);
      await tested.stack.refresh({ expectNoChanges: true });

      tested.program(modes(true, true));
      service.project().setPrivateIpMode(false);
      assert.deepEqual(await changesIn(tested), [
        ["production", "service", "off", "on"],
        ["staging", "program", "off", "on"],
      ]);
      await assertUnchangedAfterUpdate(tested);

      tested.program(modes(false, true));
      service.project().setPrivateIpMode(false);
      assert.deepEqual(await changesIn(tested), [["production", "service", "off", "off"]]);
      await assertUnchangedAfterUpdate(tested);
    });
  }
});

describe("a report of a mode that is not what is recorded", () => {
  const { service, createInline } = useStack();
  const withCredentials = true;

  for (const { kind, PrivateIpMode, drift, repeated, ordinary, unconfirmed } of [
    {
      kind: "pulumi-clouddb",
      PrivateIpMode: clouddb.PrivateIpMode,
      drift: ['~ changesFrom: "on" => "on, outside this stack"'],
      repeated: ['~ changesFrom: "on, outside this stack" => "on, outside this stack again"'],
      ordinary: [
        '~ changesFrom: "on, outside this stack again" => "off"',
        "~ enabled : false => true",
      ],
      unconfirmed: ['~ changesFrom: "on, outside this stack again" => "not known"'],
    },
    {
      kind: "the plugin",
      PrivateIpMode: plugin.PrivateIpMode,
      drift: ["+ enabled: false"],
      repeated: ["+ enabled: false"],
      ordinary: ["~ enabled: false => true"],
      unconfirmed: ["+ enabled: false"],
    },
  ] as const) {
    it(`agrees with the diff after drift and after a change without an answer, with ${kind}`, async () => {
      const declare = (enabled: boolean) => () => {
        new PrivateIpMode("mode", { projectId, enabled });
        return Promise.resolve({});
      };
      const tested = await createInline(declare(false));
      const { stack } = tested;
      await stack.up();
      for (const lines of [drift, repeated]) {
        service.project().setPrivateIpMode(true);
        assert.deepEqual(await shownChanges(tested), [lines, ["service", "on", "off"]]);
        await stack.up();
        assert.deepEqual((await stack.preview()).changeSummary, { same: 2 });
      }
      tested.program(declare(true));
      assert.deepEqual(await shownChanges(tested), [ordinary, ["program", "off", "on"]]);

      service.faults.push(
        { method: "GET", path: /privateIpMode$/, withCredentials, status: 405, times: Infinity },
        { method: "PATCH", withCredentials, reset: "after" },
      );
      await assert.rejects(stack.up(), /may or may not have been enabled/);
      tested.program(declare(false));
      const notKnown = ["unconfirmed", "not known", "off"];
      assert.deepEqual(await shownChanges(tested), [unconfirmed, notKnown]);
    });
  }

  /** Returns the properties in the diff, and the only change in the report. */
  async function shownChanges(tested: TestStack<PulumiFn>) {
    const { stdout } = await tested.stack.preview({ diff: true });
    const lines = stdout.match(/^ {6}[~+-].*$/gm) ?? [];
    const [change] = (await modesIn(tested)).map(({ cause, from, to }) => [cause, from, to]);
    return [lines.map((line) => line.trim().replace(/ +/g, " ")), change];
  }
});

describe("a report of a database URL", () => {
  const { createInline } = useStack();

  const [peering, internet] = [{ kind: "peering" }, { kind: "internet" }] as const;

  for (const { kind, Lookup, Url, both } of [
    {
      kind: "pulumi-clouddb",
      Lookup: clouddb.ClusterConnectionStrings,
      Url: clouddb.DatabaseUrl,
      both: "user changes",
    },
    {
      kind: "the plugin",
      Lookup: plugin.ClusterConnectionStrings,
      Url: plugin.DatabaseUrl,
      both: "user and a secret part (`password`) change",
    },
  ] as const) {
    it(`says what changes, and which outputs may contain it, with ${kind}`, async () => {
      const declare =
        (network: typeof peering | typeof internet, username: string, password = "never-shown") =>
        () => {
          const args = { projectId, clusterName: "orders", network };
          const { recommended } = new Lookup("orders", args);
          const database = new Url("orders", { connectionString: recommended, username, password });
          return Promise.resolve({ DATABASE_URL: database.url, cs: database.connectionString });
        };
      const tested = await createInline(declare(peering, "app"));
      await tested.stack.up();
      const shown = async () => {
        const report = buildReport({ preview: eventLog(await eventsIn(tested)), state: [] });
        const text = markdown(report);
        assert.match(
          text,
          /\n\nSecret outputs \(`DATABASE_URL`\) may contain the new (?:string or )?URL; this report cannot see into them, nor which stacks read them\.\n/,
        );
        assert.doesNotMatch(text, /never-shown/);
        return [
          /\n#### 1 database URL: (.*)\n/.exec(text)?.[1],
          /\n\| `orders` \| `db\+srv:\/\/orders.* \| (output.*) \|\n/.exec(text)?.[1],
        ];
      };
      tested.program(declare(internet, "app"));
      assert.deepEqual(await shown(), ["`peering` to `internet`", "output `cs`"]);
      tested.program(declare(peering, "app2", "never-shown2"));
      assert.deepEqual(await shown(), [`\`peering\`, ${both}`, undefined]);
    });
  }
});

async function changesIn(tested: TestStack<PulumiFn>, refresh = false) {
  return (await modesIn(tested, refresh))
    .map(({ name, cause, from, to }) => [name, cause, from, to])
    .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
}

async function modesIn(tested: TestStack<PulumiFn>, refresh = false) {
  const { changes } = buildReport({ preview: eventLog(await eventsIn(tested, refresh)) });
  return changes.filter((change) => change.type === "PrivateIpMode");
}

async function eventsIn({ stack }: TestStack<PulumiFn>, refresh = false) {
  const events: EngineEvent[] = [];
  await stack.preview({ refresh, onEvent: (event) => events.push(event) });
  return events;
}

async function assertUnchangedAfterUpdate(tested: TestStack<PulumiFn>) {
  await tested.stack.up();
  assert.deepEqual((await tested.stack.preview()).changeSummary, { same: 3 });
  assert.deepEqual(await changesIn(tested, true), []);
}
