/** The reports of resources that the npm package and the plugin describe in different ways. */
import assert from "node:assert/strict";
import type { EngineEvent, PulumiFn } from "@pulumi/pulumi/automation";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import { buildReport } from "../../provider/src/report/buildReport";
import { markdown } from "../../provider/src/report/markdown";
import { projectId, quickstartSeed } from "../support/service";
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

describe("a report of a DatabaseUrl", () => {
  const { createInline } = useStack();

  for (const [kind, DatabaseUrl] of [
    ["pulumi-clouddb", clouddb.DatabaseUrl],
    ["the plugin", plugin.DatabaseUrl],
  ] as const) {
    it(`says what an application gets, without the password, with ${kind}`, async () => {
      const orders = "db+srv://orders.cmrd8.clusters.example";
      const base = { connectionString: orders, username: "app", password: "never-shown" };
      const of = (args: object) => () => {
        new DatabaseUrl("orders", { ...base, ...args });
        return Promise.resolve({});
      };
      const tested = await createInline(of({}));
      await tested.stack.up();
      for (const [args, to] of [
        [{ username: "app2" }, "db+srv://app2@orders.cmrd8.clusters.example"],
        [{ database: "shop" }, "db+srv://app@orders.cmrd8.clusters.example/shop"],
        [
          { connectionString: orders.replace("orders", "orders-pri") },
          "db+srv://app@orders-pri.cmrd8.clusters.example",
        ],
        [{ options: { retryWrites: false } }, "db+srv://app@orders.cmrd8.clusters.example"],
        [{ password: "never-shown-either" }, "db+srv://app@orders.cmrd8.clusters.example"],
      ] as const) {
        tested.program(of(args));
        const events = await eventsIn(tested);
        const report = buildReport({ preview: eventLog(events) });
        assert.equal(report.changes[0]?.to?.string, to);
        assert.doesNotMatch(markdown(report), /never-shown/);
      }
    });
  }
});

async function changesIn(tested: TestStack<PulumiFn>, refresh = false) {
  const { changes } = buildReport({ preview: eventLog(await eventsIn(tested, refresh)) });
  return changes
    .map(({ name, cause, from, to }) => [name, cause, from?.kind, to?.kind])
    .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
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
