/** The reports of resources that the npm package and the plugin describe in different ways. */
import assert from "node:assert/strict";
import type { EngineEvent, PulumiFn } from "@pulumi/pulumi/automation";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import { buildReport } from "../../provider/src/report/buildReport";
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
