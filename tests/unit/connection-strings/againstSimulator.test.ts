// Checks the package and the simulator against each other. Both implement the service document, and they share no
// code.
import assert from "node:assert/strict";
import fc from "fast-check";
import { classify, clusterDomain, clusterStrings, select } from "../../../connection-strings/src";
import type { Cluster, SeedCluster } from "../../../simulator/src";
import { connectionStrings } from "../../../simulator/src/connectionStrings";
import { projectId, useService } from "../../support/service";

describe("connection strings that the simulator generates", () => {
  const project = { id: projectId, name: "orders", organization: "acme" };
  const service = useService({ organizations: [{ name: "acme" }], projects: [project] });

  const clusterName = fc
    .stringMatching(/^[a-z][a-z0-9]{0,6}(-[a-z0-9]{1,6}){0,3}$/)
    .filter((name) => !/-pri$|(?:^|-)pl-\d|-(?:shard|config)-/.test(name));
  const anyCluster = fc.record(
    {
      name: clusterName,
      type: fc.constantFrom("REPLICASET" as const, "SHARDED" as const),
      tier: fc.constantFrom("DEDICATED" as const, "FREE" as const, "FLEX" as const),
      provider: fc.constantFrom("A" as const, "B" as const, "C" as const),
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
  const cluster = anyCluster.filter(
    ({ provider, privateEndpoints }) => provider !== "C" || privateEndpoints.length === 0,
  );
  const anyDomain = fc.constantFrom("example", "clusters.example", "eu.clusters.example");
  /** Converts the simulator's record to what a client reads from the response. */
  const responseOf = (record: object) => JSON.parse(JSON.stringify(record)) as object;
  const createCluster = (seed: SeedCluster) => {
    const added: Cluster = service.project().addCluster(seed);
    service.project().removeCluster(seed.name);
    return added;
  };

  it("are classified with their cluster, project label and domain under domains of one to three labels (2.6, property)", () => {
    fc.assert(
      fc.property(cluster, anyDomain, (seed, domain) => {
        const added = createCluster(seed);
        const generated = connectionStrings(added, "ab1cd", {
          profile: "default",
          scheme: "db",
          domain,
        });
        const options = { domain: clusterDomain([generated.standard ?? ""]) };
        assert.equal(options.domain, domain);
        const expect = (text: string | undefined, kind: string) => {
          if (text === undefined) return;
          const classified = classify(text, options);
          assert.equal(classified.kind, kind, text);
          assert.ok(classified.kind !== "unknown");
          assert.equal(classified.projectLabel, "ab1cd");
          assert.equal(classified.domain, domain);
          assert.ok(classified.cluster === undefined || classified.cluster === added.hostName);
        };
        expect(generated.standard, "standard");
        expect(generated.standardSrv, "standard");
        expect(generated.private, "peeringPrivate");
        expect(generated.privateSrv, "peeringPrivate");
        expect(generated.legacy, "legacy");
        expect(generated.legacySrv, "legacy");
        for (const endpoint of generated.privateEndpoint ?? []) {
          expect(endpoint.connectionString, "privateEndpoint");
          expect(endpoint.srvConnectionString, "privateEndpoint");
          expect(endpoint.srvShardOptimizedConnectionString, "optimizedPrivateEndpoint");
        }
      }),
    );
  });

  it("are recognized as legacy in any field (2.6 rule 1, property)", () => {
    fc.assert(
      fc.property(cluster, anyDomain, (seed, domain) => {
        const added = createCluster({ ...seed, legacyConnectionStrings: true });
        const {
          legacy = "",
          legacySrv = "",
          ...generated
        } = connectionStrings(added, "ab1cd", {
          profile: "default",
          scheme: "db",
          domain,
        });
        // They differ from the standard strings by one hyphen per host.
        const replaced = legacy.replaceAll("-ab1cd.", ".ab1cd.");
        assert.equal(replaced, generated.standard);
        assert.equal(legacySrv.replace("-ab1cd.", ".ab1cd."), generated.standardSrv);
        assert.equal(classify(generated.standardSrv ?? "", { domain }).kind, "standard");
        const sorted = clusterStrings(responseOf({ ...generated, a: legacySrv, b: legacy }));
        assert.deepEqual([sorted.legacy, sorted.legacySrv], [legacy, legacySrv]);
        assert.equal(sorted.others, undefined);
      }),
    );
  });

  it("are selected by network, form and endpoint (2.6 rules 3 and 8, property)", () => {
    fc.assert(
      fc.property(cluster, (seed) => {
        const generated = connectionStrings(createCluster(seed), "ab1cd", {
          profile: "default",
          scheme: "db",
          domain: "x.y",
        });
        const strings = clusterStrings(responseOf(generated));
        const selected = (wanted: Parameters<typeof select>[1]) => {
          const selection = select(strings, wanted);
          return selection.kind === "selected" ? selection.connectionString : undefined;
        };
        assert.equal(selected({}), generated.standardSrv);
        assert.equal(selected({ network: { kind: "peering" } }), generated.privateSrv);
        for (const { endpoints, ...endpoint } of generated.privateEndpoint ?? []) {
          const { endpointId, region } = endpoints[0] ?? {};
          const network = { kind: "privateEndpoint", endpointId, region } as const;
          const optimized = endpoint.srvShardOptimizedConnectionString;
          assert.equal(selected({ network }), optimized ?? endpoint.srvConnectionString);
          assert.equal(selected({ network, optimized: true }), optimized);
          assert.equal(selected({ network, form: "hosts" }), endpoint.connectionString);
        }
      }),
    );
  });
});
