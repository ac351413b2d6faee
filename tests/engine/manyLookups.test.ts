import assert from "node:assert/strict";
import type { Seed } from "clouddb-simulator";
import { key, settingsFor } from "../service";
import { useStack } from "./useStack";

describe("500 lookups in 5 projects", () => {
  const ids = [1, 2, 3, 4, 5].map((number) => `64a0c0ffee000000000000b${number}`);
  const clusters = Array.from({ length: 100 }, (_, at) => ({ name: `c${at}` }));
  const seed: Seed = {
    organizations: [{ name: "acme", apiKeys: [{ ...key, roles: [{ role: "owner" }] }] }],
    projects: ids.map((id) => ({ id, name: id, organization: "acme", clusters })),
  };
  const { service, createStack } = useStack({ seed });

  it("need five list requests and one challenge in a preview, and again in an update", async () => {
    const program = `
      for (const projectId of ${JSON.stringify(ids)}) {
        for (let at = 0; at < 100; at += 1) {
          const clusterName = "c" + at;
          new clouddb.ClusterConnectionStrings(projectId + "-" + at, { projectId, clusterName });
        }
      }`;
    // By default, the CLI writes the whole state after each of the 500 steps.
    const noCheckpoints = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" };
    const environment = { ...settingsFor(service), ...noCheckpoints };
    const { stack } = await createStack(program, { environment });
    const phaseCosts = async (phase: Promise<unknown>) => {
      const before = service.requests.length;
      await phase;
      const requests = service.requests.slice(before);
      const challenges = requests.filter(({ challenged }) => challenged).length;
      const listings = requests.filter(
        ({ operation, challenged }) => operation === "listClusters" && !challenged,
      ).length;
      return { challenges, listings, others: requests.length - challenges - listings };
    };
    const costs = { challenges: 1, listings: 5, others: 0 };
    assert.deepEqual(await phaseCosts(stack.preview()), costs);
    assert.deepEqual(await phaseCosts(stack.up()), costs);
  });
});
