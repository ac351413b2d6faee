import assert from "node:assert/strict";
import { type Seed, startSimulator } from "../../../../simulator/src";
import { OffsetClock } from "../../../../simulator/src/store/clock";
import { Store } from "../../../../simulator/src/store/store";
import { parseSeed } from "../../../../simulator/src/seed/seed";
import { seedOf } from "../seeds";

/** Linear growth results in 10, quadratic growth in 100. The limit leaves room for other load. */
const growthLimit = 35;

describe("loading a seed", function () {
  this.timeout(120_000);

  it("takes time in proportion to the clusters of a project", () => {
    expectLinearGrowth(clustersSeed);
  });

  it("takes time in proportion to the projects", () => {
    expectLinearGrowth(projectsSeed);
  });

  it("assigns the lowest free index to a private endpoint after others were removed", async () => {
    const service = await startSimulator({ seed: clustersSeed(5) });
    try {
      const [id = ""] = service.projectIds();
      const project = service.project(id);
      for (const name of ["c3", "c1"]) project.removeCluster(name);
      const indexes = ["new0", "new1", "new2"].map((name) => {
        const endpoint = { endpointId: `vpce-${name}`, region: "us-east-1" };
        return project.addCluster({ name, privateEndpoints: [endpoint] }).privateEndpoints[0]
          ?.index;
      });
      assert.deepEqual(indexes, [1, 3, 5]);
    } finally {
      await service.stop();
    }
  });
});

/** Fails if ten times as many items take much more than ten times as long. */
function expectLinearGrowth(seed: (count: number) => Seed): void {
  // Compiles the code.
  for (let run = 0; run < 3; run += 1) loadingTime(seed(1000));
  const few = Math.min(...[1, 2, 3].map(() => loadingTime(seed(1000))));
  const many = Math.min(...[1, 2].map(() => loadingTime(seed(10_000))));
  const growth = many / few;
  assert.ok(growth < growthLimit, `10,000 items take ${growth.toFixed(0)} times as long as 1,000`);
}

/** Returns the CPU time of loading a seed. Other load affects it less than the elapsed time. */
function loadingTime(seed: Seed): number {
  const start = process.cpuUsage();
  new Store(parseSeed(seed), new OffsetClock());
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

function clustersSeed(count: number): Seed {
  return seedOf(
    Array.from({ length: count }, (_, at) => ({
      name: `c${at}`,
      privateEndpoints: [{ endpointId: `vpce-${at}`, region: "us-east-1" }],
    })),
  );
}

function projectsSeed(count: number): Seed {
  return {
    ...seedOf([]),
    projects: Array.from({ length: count }, (_, at) => ({
      id: at.toString(16).padStart(24, "0"),
      name: `p${at}`,
      organization: "acme",
    })),
  };
}
