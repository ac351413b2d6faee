import assert from "node:assert/strict";
import { projectId } from "../../service";
import { unknown } from "../providerProcess";
import { useProvider } from "../useProvider";

describe("a misspelled argument of ClusterConnectionStrings", () => {
  const { provider } = useProvider("clusterConnectionStrings", { lifetime: "file" });
  const lookup = { projectId, clusterName: "orders" };
  const privateEndpoint = { kind: "privateEndpoint", region: "us-east-1" };

  const cases: {
    what: string;
    inputs: Record<string, unknown>;
    property: string;
    reason: string;
  }[] = [
    {
      what: "is reported with the nearest argument",
      inputs: { ...lookup, fom: "srv" },
      property: "fom",
      reason: 'there is no argument "fom"; did you mean form?',
    },
    {
      what: "is reported while another argument is unknown",
      inputs: { ...lookup, projectId: unknown, wait_seconds: 5 },
      property: "wait_seconds",
      reason: 'there is no argument "wait_seconds"; did you mean waitSeconds?',
    },
    {
      what: "is reported with its path if it is nested",
      inputs: { ...lookup, network: { ...privateEndpoint, endPointId: "vpce-0a1" } },
      property: "network",
      reason: 'there is no argument "network.endPointId"; did you mean network.endpointId?',
    },
    {
      what: "is reported with the arguments of its kind of network",
      inputs: { ...lookup, network: { kind: "internet", region: "us-east-1" } },
      property: "network",
      reason: 'there is no argument "network.region"; expected only network.kind',
    },
    {
      what: "is reported with all arguments, and without its value, if it resembles none",
      inputs: { ...lookup, privateKey: "s3cret" },
      property: "",
      reason:
        'there is no argument "privateKey"; expected one of projectId, clusterName, network, form, optimized, waitSeconds',
    },
  ];
  for (const { what, inputs, property, reason } of cases) {
    it(what, async () => {
      const { failures } = await provider.check(inputs);
      assert.deepEqual(failures, [{ property, reason }]);
    });
  }

  it("is reported before the missing argument", async () => {
    const { failures } = await provider.check({ projectId, clustername: "orders" });
    assert.deepEqual(failures, [
      {
        property: "clustername",
        reason: 'there is no argument "clustername"; did you mean clusterName?',
      },
      { property: "clusterName", reason: "must be the name of a cluster" },
    ]);
  });
});

describe("several misspelled arguments of PrivateIpMode", () => {
  const { provider } = useProvider("privateIpMode");

  it("are all reported", async () => {
    const { failures } = await provider.check({
      projectId,
      enabled: true,
      on_delete: "retain",
      "e\u001bnable": true,
    });
    assert.deepEqual(
      failures.map(({ reason }) => reason),
      [
        'there is no argument "e\\u{1b}nable"; did you mean enabled?',
        'there is no argument "on_delete"; did you mean onDelete?',
      ],
    );
  });
});
