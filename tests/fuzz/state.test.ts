import assert from "node:assert/strict";
import type { Simulator } from "clouddb-simulator";
import fc from "fast-check";
import { Lifecycles } from "../../provider/src/resources";
import type { Lifecycle, PropertyBag } from "../../provider/src/engine/lifecycle";
import { type SettingKey, environmentVariable } from "../../provider/src/settings/settings";
import { projectId, settingsFor, startService } from "../support/service";
import { hostileName, hostileText, hostileValue, mutated } from "./hostile";
import { assertSafeMessage, outcomeOf, property } from "./properties";

const lookupInputs = { projectId, clusterName: "orders" };
const modeInputs = { projectId, enabled: true, onDelete: "retain" };

/** States as released versions recorded them. An empty one stands for a resource before its creation. */
const lookupStates = fc.constantFrom<PropertyBag>(
  {},
  {
    ...lookupInputs,
    network: { kind: "privateEndpoint", region: "us-east-1" },
    form: "srv",
    recommended: "db+srv://orders.ab1cd.clusters.example",
    recommendedKind: "standard",
    standard: "db://orders-shard-00-00.ab1cd.clusters.example:27017",
    private: null,
    privateEndpoints: [{ index: 0, endpointIds: ["vpce-1"], regions: ["us-east-1"], others: {} }],
    databaseVersion: "7.0.12",
    others: { legacy: "db://orders-ab1cd.clusters.example" },
  },
);
const modeStates = fc.constantFrom<PropertyBag>(
  {},
  { projectId, enabled: true, enabledAtAdoption: null, onDelete: "retain" },
  { projectId, enabled: false, enabledAtAdoption: true, onDelete: "restore" },
);

/** A state from the engine is always an object. */
function damaged(states: fc.Arbitrary<PropertyBag>): fc.Arbitrary<PropertyBag> {
  return mutated(states, hostileValue).map((state) =>
    typeof state === "object" && state !== null && !Array.isArray(state) ? { ...state } : {},
  );
}

/** `withReportedErrors` removes the stack trace of a user error. Other errors are bugs. */
function isReported(error: unknown): boolean {
  return error instanceof Error && error.name === "pulumi-clouddb" && error.stack === error.message;
}

describe("invalid or malicious old state", () => {
  let service: Simulator;
  let lifecycles: Lifecycles;

  before(async () => {
    service = await startService(undefined, { requestsPerMinute: Infinity });
    const settings = { ...settingsFor(service), CLOUDDB_REQUESTS_PER_MINUTE: "1000000000" };
    const get = (key: SettingKey) =>
      new Map(Object.entries(settings)).get(environmentVariable(key));
    lifecycles = new Lifecycles({
      settings: () => ({ owner: { kind: "process" }, get, keys: () => [] }),
      log: (_severity, message) => {
        assertSafeMessage(message);
        return Promise.resolve();
      },
      engineAddress: () => undefined,
    });
  });
  after(() => service.stop());

  /** Counts the changes of the mode that the service received. */
  const patches = () => service.requests.filter(({ method }) => method === "PATCH").length;

  /** Calls every operation that reads the old state. */
  async function useState(lifecycle: Lifecycle, id: string, olds: PropertyBag, news: PropertyBag) {
    const checked = await outcomeOf(() => lifecycle.check(olds, news), isReported);
    if (checked.kind === "value") {
      for (const { reason } of checked.value.failures ?? []) assertSafeMessage(reason);
    }
    const compared = await outcomeOf(() => lifecycle.diff(id, olds, news), isReported);
    const read = await outcomeOf(() => lifecycle.read(id, olds), isReported);
    if (read.kind === "value") assert.ok(read.value.id === undefined || read.value.id === id);
    return { checked, compared, read };
  }

  property("of a lookup is compared and read, or reported, and never fails a delete", {
    subject: "old state",
    slowness: 5,
    inputs: fc.tuple(damaged(lookupStates), fc.oneof(hostileName, hostileText)),
    check: async ([olds, name]) => {
      const lifecycle = lifecycles.clusterConnectionStrings;
      const id = `${projectId}/orders`;
      const { checked, compared } = await useState(lifecycle, id, olds, lookupInputs);
      // The service has the cluster, so the check fails only if the state is damaged.
      const isDamaged = compared.kind === "error";
      assert.equal(checked.kind === "value" && checked.value.failures !== undefined, isDamaged);
      if (compared.kind === "value") {
        const replaces = ["projectId", "clusterName"].filter(
          (key) => olds[key] !== Object.entries(lookupInputs).find(([each]) => each === key)?.[1],
        );
        assert.deepEqual(compared.value.replaces, replaces);
      }
      await lifecycle.delete(id, olds);
      await outcomeOf(() => lifecycle.read(name, olds), isReported);
    },
  });

  property("of a mode is compared and read, or reported, and changes the mode only to restore it", {
    subject: "old state",
    slowness: 5,
    inputs: damaged(modeStates),
    check: async (olds) => {
      const lifecycle = lifecycles.privateIpMode;
      service.reset();
      await useState(lifecycle, projectId, olds, modeInputs);
      assert.equal(patches(), 0);
      await outcomeOf(() => lifecycle.delete(projectId, olds), isReported);
      if (olds["onDelete"] !== "restore") assert.equal(patches(), 0);
      await outcomeOf(() => lifecycle.update(projectId, olds, modeInputs), isReported);
      assert.equal(service.project(projectId).privateIpMode.enabled, true);
    },
  });

  property("and invalid inputs are accepted or reported by a check", {
    subject: "old state",
    slowness: 5,
    inputs: fc.tuple(
      mutated(fc.constantFrom<PropertyBag>(lookupInputs, modeInputs), hostileValue),
      fc.constantFrom("privateIpMode" as const, "clusterConnectionStrings" as const),
    ),
    check: async ([inputs, resource]) => {
      if (typeof inputs !== "object" || inputs === null) return;
      const check = () => lifecycles[resource].check({}, { ...inputs });
      const outcome = await outcomeOf(check, isReported);
      if (outcome.kind === "error") return;
      for (const { reason } of outcome.value.failures ?? []) assertSafeMessage(reason);
    },
  });
});
