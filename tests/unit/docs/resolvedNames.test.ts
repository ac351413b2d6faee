/** Compares a table in the guide to disabling private IP mode with the answers of the simulator's DNS. */
import assert from "node:assert/strict";
import { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SeedCluster } from "../../../simulator/src";
import { useService } from "../../support/service";
import { type ClusterBody, call, clustersPath, json, modePath, patch } from "../simulator/client";
import { seedOf } from "../simulator/seeds";

const guide = join(__dirname, "../../../docs/guides/disabling-private-ip-mode.md");

/** Peered clusters with every kind of string. */
const clusters = (["A", "B"] as const).map((provider): SeedCluster => {
  const region = provider === "A" ? "us-east-1" : "eastus";
  const privateEndpoints = [{ endpointId: `endpoint-${provider}`, region }];
  const common = { createdAt: "2019-06-03", version: "7.0.12", peering: true };
  return { ...common, name: provider, provider, regions: [region], privateEndpoints };
});
const seed = seedOf(clusters, { privateIpMode: { enabled: true } });

describe("the guide to disabling private IP mode", () => {
  const service = useService(seed, { dns: {} });

  /** Returns the kind of address that a host of the string resolves to, on the Internet and in a peered network. */
  const resolve = async (uri = "") => {
    const { internet = "", peeredNetwork = "" } = service.dns ?? {};
    const host = /:\/\/([^:]+)/.exec(uri)?.[1] ?? "";
    const kinds = [internet, peeredNetwork].map(async (server) => {
      const resolver = new Resolver();
      resolver.setServers([server]);
      return String(await resolver.resolve4(host)).startsWith("10.") ? "private" : "public";
    });
    return Promise.all(kinds);
  };

  it("shows the same address for each kind of host name as the simulator", async () => {
    const answers = async (name: string) => {
      const { connectionStrings } = json<ClusterBody>(
        await call(service, `${clustersPath}/${name}`),
      );
      const { standard, private: peering, legacy, privateEndpoint } = connectionStrings;
      const uris = [standard, peering, legacy, privateEndpoint?.[0]?.connectionString];
      return Promise.all(uris.map(resolve));
    };
    const before = [await answers("A"), await answers("B")];
    await patch(service, modePath, { enabled: false });
    const after = [await answers("A"), await answers("B")];
    const rows = ["standard", "`-pri`", "legacy", "private endpoint"].flatMap((kind, at) => {
      const [a, b] = [0, 1].map((provider) =>
        [before, after].flatMap((answered) => answered[provider]?.[at] ?? []).join(" | "),
      );
      if (a === b) return [`| ${kind} | any | ${a} |\n`];
      return [
        `| ${kind} | AWS (A) | ${a} |\n`,
        `| ${kind} | Azure (B) or Google Cloud (C) | ${b} |\n`,
      ];
    });
    const table = /\n\|[-|]+\|\n((?:\|.*\n)+)/.exec(readFileSync(guide, "utf8"))?.[1];
    assert.equal(rows.join(""), table);
  });
});
