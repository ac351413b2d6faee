// What the simulator generates from the service's document, read by the code that users have: the two
// share nothing, so that each checks the other.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type ServiceStrings,
  classify,
  clusterDomain,
  clusterStrings,
  isLegacy,
  legacyToStandard,
  select,
} from "../../../connection-strings/src";
import {
  type Cluster,
  type SeedCluster,
  type Simulator,
  startSimulator,
} from "../../../simulator/src";
import { connectionStrings } from "../../../simulator/src/connectionStrings/generate";

const projectId = "64a0c0ffee0000000000a001";

describe("the strings of the simulator", () => {
  let simulator: Simulator;
  before(async () => {
    const organizations = [{ name: "acme" }];
    const project = { id: projectId, name: "orders", organization: "acme" };
    simulator = await startSimulator({ seed: { organizations, projects: [project] } });
  });
  after(() => simulator.stop());

  const clusterName = fc
    .stringMatching(/^[a-z][a-z0-9]{0,6}(-[a-z0-9]{1,6}){0,3}$/)
    .filter((name) => !/-pri$|(?:^|-)pl-\d|-(?:shard|config)-/.test(name));
  const cluster = fc.record(
    {
      name: clusterName,
      type: fc.constantFrom("REPLICASET" as const, "SHARDED" as const),
      peering: fc.boolean(),
      legacyConnectionStrings: fc.boolean(),
      regionalizedPrivateEndpoints: fc.boolean(),
      privateEndpoints: fc.constantFrom<NonNullable<SeedCluster["privateEndpoints"]>>(
        [],
        [{ endpointId: "e1", region: "us-east-1" }],
        [
          { endpointId: "e1", region: "us-east-1" },
          { endpointId: "e2", region: "eu-west-1" },
        ],
      ),
    },
    { noNullPrototype: true },
  );
  const domain = fc.constantFrom("example", "clusters.example", "eu.clusters.example");
  /** As the API's client reads it. */
  const record = (given: object) => JSON.parse(JSON.stringify(given)) as ServiceStrings;
  const generated = (seed: SeedCluster) => {
    const project = simulator.project(projectId);
    const added: Cluster = project.addCluster(seed);
    project.removeCluster(seed.name);
    return added;
  };

  it("are told by kind, with cluster, label and domain, under domains of one to three labels (2.6, property)", () => {
    fc.assert(
      fc.property(cluster, domain, (seed, of) => {
        const added = generated(seed);
        const given = connectionStrings(added, "ab1cd", { scheme: "db", domain: of });
        const known = { domain: clusterDomain([given.standard ?? ""]) };
        assert.equal(known.domain, of);
        const expect = (text: string | undefined, kind: string) => {
          if (text === undefined) return;
          const classified = classify(text, known);
          assert.equal(classified.kind, kind, text);
          assert.ok(classified.kind !== "unknown");
          assert.equal(classified.projectLabel, "ab1cd");
          assert.equal(classified.domain, of);
          assert.ok(classified.cluster === undefined || classified.cluster === added.hostName);
        };
        expect(given.standard, "standard");
        expect(given.standardSrv, "standard");
        expect(given.private, "peeringPrivate");
        expect(given.privateSrv, "peeringPrivate");
        expect(given.legacy, "legacy");
        expect(given.legacySrv, "legacy");
        for (const endpoint of given.privateEndpoint ?? []) {
          expect(endpoint.connectionString, "privateEndpoint");
          expect(endpoint.srvConnectionString, "privateEndpoint");
          expect(endpoint.srvShardOptimizedConnectionString, "optimizedPrivateEndpoint");
        }
      }),
    );
  });

  it("become the standard ones where they are legacy, and are found under any name (2.6 rule 1, property)", () => {
    fc.assert(
      fc.property(cluster, domain, (seed, of) => {
        const added = generated({ ...seed, legacyConnectionStrings: true });
        const {
          legacy = "",
          legacySrv = "",
          ...given
        } = connectionStrings(added, "ab1cd", {
          scheme: "db",
          domain: of,
        });
        assert.equal(legacyToStandard(legacy, { domain: of }), given.standard);
        assert.equal(legacyToStandard(legacySrv, { domain: of }), given.standardSrv);
        assert.equal(isLegacy(given.standardSrv ?? "", { domain: of }), false);
        const found = clusterStrings(record({ ...given, a: legacySrv, b: legacy }));
        assert.deepEqual([found.legacy, found.legacySrv], [legacy, legacySrv]);
        assert.equal(found.others, undefined);
      }),
    );
  });

  it("are selected by network, form and endpoint (2.6 rules 3 and 8, property)", () => {
    fc.assert(
      fc.property(cluster, (seed) => {
        const given = connectionStrings(generated(seed), "ab1cd", { scheme: "db", domain: "x.y" });
        const strings = clusterStrings(record(given));
        const chosen = (wanted: Parameters<typeof select>[1]) => {
          const selection = select(strings, wanted);
          return selection.kind === "selected" ? selection.connectionString : undefined;
        };
        assert.equal(chosen({}), given.standardSrv);
        assert.equal(chosen({ network: { kind: "peering" } }), given.privateSrv);
        for (const { endpoints, ...endpoint } of given.privateEndpoint ?? []) {
          const { endpointId, region } = endpoints[0] ?? {};
          const network = { kind: "privateEndpoint", endpointId, region } as const;
          const optimized = endpoint.srvShardOptimizedConnectionString;
          assert.equal(chosen({ network }), optimized ?? endpoint.srvConnectionString);
          assert.equal(chosen({ network, optimized: true }), optimized);
          assert.equal(chosen({ network, form: "hosts" }), endpoint.connectionString);
        }
      }),
    );
  });
});
