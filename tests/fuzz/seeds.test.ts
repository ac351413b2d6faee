import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "clouddb-simulator";
import fc from "fast-check";
import { Documents } from "../../simulator/src/api/entities";
import { parseSettings } from "../../simulator/src/seed/settings";
import { parseSeed } from "../../simulator/src/seed/seed";
import { SeedError } from "../../simulator/src/errors";
import { OffsetClock } from "../../simulator/src/store/clock";
import { ServiceError } from "../../simulator/src/errors";
import { restoreState } from "../../simulator/src/store/stateFile";
import { StateFileError } from "../../simulator/src/errors";
import { Store } from "../../simulator/src/store/store";
import { processFolder } from "../cleanup";
import { quickstartSeed } from "../service";
import { hostileValue, jsonText, mutated } from "./hostile";
import { isOneOf, outcomeOf, plantedSecret, property } from "./properties";

/** A seed that uses every field. */
function completeSeed(): Seed {
  const seed = structuredClone(quickstartSeed());
  const [organization] = seed.organizations ?? [];
  const [project] = seed.projects ?? [];
  organization?.apiKeys?.push({
    publicKey: "other",
    privateKey: `${plantedSecret}-key`,
    accessList: ["127.0.0.1/32", "::1"],
    roles: [{ role: "readOnly" }],
  });
  project?.clusters?.push({
    name: "complete",
    type: "SHARDED",
    tier: "DEDICATED",
    version: "7.0.12",
    provider: "A",
    regions: ["us-east-1", "eu-west-1"],
    createdAt: "2019-05-01T00:00:00Z",
    peering: true,
    privateEndpoints: [{ endpointId: "vpce-1", region: "us-east-1", index: 7 }],
    regionalizedPrivateEndpoints: true,
    legacyConnectionStrings: true,
    state: "CREATING",
    readyInSeconds: 5,
    pendingStrings: ["standard"],
    deleteAfterDate: "2030-01-01T00:00:00Z",
    transitions: [{ at: 5, state: "IDLE", pendingStrings: [] }],
  });
  return seed;
}

/** The message names every problem of the file. */
const maxMessage = 1_000_000;

const documented = isOneOf(SeedError, ServiceError, StateFileError);

/** Loads and renders everything, as the first requests of a client do. */
function render(seed: ReturnType<typeof parseSeed>): void {
  const store = new Store(seed, new OffsetClock());
  renderAll(store);
}

function renderAll(store: Store): void {
  const documents = new Documents(parseSettings({}));
  documents.origin = "https://127.0.0.1:1";
  for (const project of store.projects()) {
    for (const cluster of project.clusters.values()) {
      assert.ok(JSON.stringify(documents.cluster(project, cluster)));
      assert.ok(JSON.stringify(documents.listedCluster(project, cluster)));
    }
    assert.ok(JSON.stringify(documents.project(project)));
  }
  JSON.stringify(store.snapshot());
}

describe("hostile seeds", () => {
  property("are complete after parsing, or cause a SeedError or a ServiceError", {
    subject: "seeds",
    slowness: 2,
    inputs: mutated(fc.constant(completeSeed()), hostileValue),
    examples: [{ "\u001b[2J": 1 }, { projects: [{ organization: "\u202ename" }] }],
    check: async (input) => {
      const outcome = await outcomeOf(
        () => {
          const seed = parseSeed(input);
          render(seed);
          return seed;
        },
        documented,
        maxMessage,
      );
      if (outcome.kind === "value") assert.deepEqual(parseSeed(outcome.value), outcome.value);
    },
  });

  property("are loaded from a state file, or cause a StateFileError", {
    subject: "seeds",
    slowness: 3,
    inputs: jsonText(
      mutated(
        fc.constant({
          format: "clouddb-simulator state, version 1",
          projects: new Store(parseSeed(completeSeed()), new OffsetClock()).snapshot(),
        }),
      ),
    ),
    check: async (text) => {
      const file = join(processFolder, "hostile-state.json");
      writeFileSync(file, text);
      const seed = parseSeed(quickstartSeed());
      const store = new Store(seed, new OffsetClock());
      const outcome = await outcomeOf(
        () => {
          restoreState(store, file, seed);
        },
        documented,
        maxMessage,
      );
      assert.equal(readFileSync(file, "utf8"), Buffer.from(text).toString());
      if (outcome.kind === "value") renderAll(store);
    },
  });
});
