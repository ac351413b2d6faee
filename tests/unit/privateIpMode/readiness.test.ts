import assert from "node:assert/strict";
import type { ClusterList } from "../../../provider/src/service/client";
import { findReadiness, readinessReport } from "../../../provider/src/privateIpMode/readiness";

const none = {
  clustersBelowMinimum: [],
  clustersWithoutVersion: [],
  clustersWithPeeringStrings: [],
};

describe("the readiness of a project", () => {
  it("cannot be determined from a list that may be incomplete", async () => {
    const list: ClusterList = {
      clusters: [],
      malformed: [],
      superseded: [],
      readAt: 0,
      rateLimitSeconds: 0,
      paths: ["clusters"],
      incomplete: "1 item was read, but ...",
    };
    const session = {
      client: {
        getPrivateIpMode: () => Promise.resolve({ kind: "observed", enabled: true } as const),
      },
      listing: { clusters: () => Promise.resolve(list) },
    };
    await assert.rejects(
      findReadiness(session, { projectId: "p" }),
      /^ProviderError: cannot determine whether private IP mode of project p can be disabled: its list of clusters may be incomplete\. 1 item was read/,
    );
    // Rejects invalid arguments instead of throwing.
    await assert.rejects(findReadiness(session, {}), /^ProviderError: invalid arguments/);
  });

  it("is reported with every cluster that matters", () => {
    assert.deepEqual(
      readinessReport({
        projectId: "p",
        mode: "enabled",
        ready: false,
        clusterCount: 3,
        clustersBelowMinimum: [{ name: "old", version: "6.0.5" }],
        clustersWithoutVersion: [{ name: "odd", version: "(no version given)" }],
        clustersWithPeeringStrings: ["peered"],
      }),
      [
        "Private IP mode of project p is enabled; 3 clusters.",
        "Not ready: disabling it would be refused.",
        "Clusters below 7.0.0:",
        "  old  6.0.5",
        "Clusters without a usable version:",
        "  odd  (no version given)",
        "Clusters whose applications in peered networks should already use the peering-private strings:",
        "  peered",
      ],
    );
  });

  it("is reported as ready if every cluster is recent, or if the mode is off", () => {
    const ready = { projectId: "p", ready: true, clusterCount: 1, ...none };
    assert.deepEqual(readinessReport({ ...ready, mode: "unknown" }).slice(1), [
      "Ready: every cluster runs version 7.0.0 or later.",
    ]);
    assert.deepEqual(readinessReport({ ...ready, mode: "disabled" }).slice(1), [
      "Ready: there is nothing to disable.",
    ]);
  });
});
