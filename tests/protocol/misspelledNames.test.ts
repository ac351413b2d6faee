// Names that are nearly right: of arguments, and of settings.
import assert from "node:assert/strict";
import type { Simulator } from "clouddb-simulator";
import { key, projectId, settingsFor, startService } from "../service";
import { type ProviderProcess, startProvider, unknown } from "./providerProcess";

type Inputs = Record<string, unknown>;

describe("a misspelled argument, in the provider process", () => {
  let service: Simulator;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const failuresOf = async (
    lifecycle: "privateIpMode" | "clusterConnectionStrings",
    inputs: Inputs,
  ) => {
    const provider = await startProvider(lifecycle, {}, settingsFor(service));
    const { failures } = await provider.check(inputs).finally(() => provider.stop());
    return failures;
  };
  const lookup = { projectId, clusterName: "orders" };
  const privateEndpoint = { kind: "privateEndpoint", region: "us-east-1" };

  const cases: { what: string; inputs: Inputs; property: string; reason: string }[] = [
    {
      what: "is named with the nearest right one",
      inputs: { ...lookup, fom: "srv" },
      property: "fom",
      reason: 'there is no argument "fom"; did you mean form?',
    },
    {
      what: "is found while others are not known yet",
      inputs: { ...lookup, projectId: unknown, wait_seconds: 5 },
      property: "wait_seconds",
      reason: 'there is no argument "wait_seconds"; did you mean waitSeconds?',
    },
    {
      what: "is named with its path",
      inputs: { ...lookup, network: { ...privateEndpoint, endPointId: "vpce-0a1" } },
      property: "network",
      reason: 'there is no argument "network.endPointId"; did you mean network.endpointId?',
    },
    {
      what: "lists the arguments of its variant",
      inputs: { ...lookup, network: { kind: "internet", region: "us-east-1" } },
      property: "network",
      reason: 'there is no argument "network.region"; expected only network.kind',
    },
    {
      what: "that is like no other is named with all right ones, and its value is not shown",
      inputs: { ...lookup, privateKey: "s3cret" },
      property: "",
      reason:
        'there is no argument "privateKey"; expected one of projectId, clusterName, network, form, optimized, waitSeconds',
    },
  ];
  for (const { what, inputs, property, reason } of cases) {
    it(what, async () => {
      assert.deepEqual(await failuresOf("clusterConnectionStrings", inputs), [
        { property, reason },
      ]);
    });
  }

  it("is reported before the missing argument", async () => {
    const failures = await failuresOf("clusterConnectionStrings", {
      projectId,
      clustername: "orders",
    });
    assert.deepEqual(failures, [
      {
        property: "clustername",
        reason: 'there is no argument "clustername"; did you mean clusterName?',
      },
      { property: "clusterName", reason: "must be the name of a cluster" },
    ]);
  });

  it("is named for each misspelled argument", async () => {
    const failures = await failuresOf("privateIpMode", {
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

describe("a misspelled setting, in the provider process", () => {
  let service: Simulator;
  let provider: ProviderProcess | undefined;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  afterEach(() => provider?.stop());

  const lookup = { projectId, clusterName: "orders" };
  const configured = () => {
    const { CLOUDDB_BASE_URL: baseUrl = "", CLOUDDB_CA_FILE: caFile = "" } = settingsFor(service);
    const { publicKey, privateKey } = key;
    return { baseUrl, caFile, publicKey, privateKey };
  };
  const inNamespace = (settings: Record<string, string>) =>
    Object.fromEntries(Object.entries(settings).map(([name, text]) => [`clouddb:${name}`, text]));

  it("is named in the error if the right one is missing", async () => {
    const { baseUrl, ...rest } = configured();
    const settings = inNamespace({ ...rest, baseURL: baseUrl });
    provider = await startProvider("clusterConnectionStrings", settings);
    const { failures } = await provider.check(lookup);
    assert.equal(failures.length, 1);
    const [{ reason } = { reason: "" }] = failures;
    assert.match(reason, /clouddb:baseUrl \(or CLOUDDB_BASE_URL\) is not set/);
    assert.match(reason, /clouddb:baseURL is not a setting; did you mean clouddb:baseUrl\?/);
  });

  it("is one warning if all required settings are set", async () => {
    const settings = inNamespace({ ...configured(), requestPerMinute: "50", team: "data" });
    provider = await startProvider("clusterConnectionStrings", settings, {
      CLOUDDB_FIELDPREFIX: "db",
    });
    for (const clusterName of ["orders", "billing"]) {
      assert.deepEqual((await provider.check({ projectId, clusterName })).failures, []);
    }
    assert.deepEqual(
      provider
        .output()
        .match(/warning: .*/g)
        ?.sort(),
      [
        "warning: CLOUDDB_FIELDPREFIX is not a setting; did you mean CLOUDDB_FIELD_PREFIX?",
        "warning: clouddb:requestPerMinute is not a setting; did you mean clouddb:requestsPerMinute?",
      ],
    );
  });
});
