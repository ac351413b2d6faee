import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type ClusterStrings,
  type PrivateEndpointNetwork,
  clusterStrings,
  select,
} from "../../../connection-strings/src";

/** A private endpoint in one region. */
interface Endpoint {
  readonly id: string;
  /** The cloud in the record. Default: none */
  readonly cloud?: string | undefined;
  /** The region in the record. Default: none */
  readonly record?: string | undefined;
  /** The region in the host names. Default: none */
  readonly host?: string | undefined;
}

/** Returns the SRV string of an endpoint. */
const srvOf = ({ id, host }: Endpoint) =>
  `db+srv://${id}-pl-0${host === undefined ? "" : `-${host}`}.ab1cd.db.example`;

/** Returns the record that the service sends for an endpoint, which other endpoints may share. */
const recordOf = (endpoint: Endpoint, ...others: Endpoint[]) => ({
  srvConnectionString: srvOf(endpoint),
  endpoints: [endpoint, ...others].map(({ id, cloud, record }) => ({
    endpointId: id,
    providerName: cloud,
    region: record,
  })),
});

/** Returns the strings of a cluster with these endpoints. */
const clusterWith = (...endpoints: Endpoint[]) =>
  clusterStrings({ privateEndpoint: endpoints.map((each) => recordOf(each)) });

/** Returns the outcome of a selection: the selected string, the kind of the failure, or its message. */
function selected(strings: ClusterStrings, criteria: Omit<PrivateEndpointNetwork, "kind">) {
  const selection = select(strings, { network: { kind: "privateEndpoint", ...criteria } });
  const { kind } = selection;
  if (kind === "selected") return { kind, string: selection.connectionString, message: "" };
  const message = kind === "missing" ? `${selection.missing}: ${selection.why}` : selection.problem;
  return { kind, message, selectBy: kind === "ambiguous" ? selection.selectBy : [] };
}

/** Asserts which endpoint each region selects; `missing` or `ambiguous` if none. */
function assertSelects(strings: ClusterStrings, expected: Record<string, Endpoint | string>) {
  for (const [region, endpoint] of Object.entries(expected)) {
    const { kind, string } = selected(strings, { region });
    const found = string ?? kind;
    assert.equal(found, typeof endpoint === "string" ? endpoint : srvOf(endpoint), region);
  }
}

const virginia = { id: "vpce-0a", cloud: "AWS", record: "US_EAST_1", host: "us-east-1" };
const carolina = { id: "gcp-ep", cloud: "GCP", record: "EASTERN_US", host: "us-east1-gcp" };
const eastUs2 = { id: "PE-App", cloud: "AZURE", record: "US_EAST_2", host: "eastus2-azure" };

describe("select for private endpoints by region", () => {
  it("never takes a name of one cloud for that of another", () => {
    assertSelects(clusterWith(virginia, carolina), {
      "us-east1": carolina,
      "us-east1-gcp": carolina,
      US_EAST1: "missing",
      EASTERN_US: carolina,
      eastern_us: carolina,
      "US-East1-GCP": carolina,
      "us-east-1": virginia,
      US_EAST_1: virginia,
      "us-east-1-aws": virginia,
      "us-west-2": "missing",
      useast1: "missing",
      "us-east-1-gcp": "missing",
      "eastern-us": "missing",
      "us-east1-aws": "missing",
      "us-east1-azure": "missing",
    });
    // The endpoint in the other cloud does not exist yet.
    assertSelects(clusterWith(virginia), {
      "us-east1": "missing",
      "us-east1-gcp": "missing",
      EASTERN_US: "missing",
      "us-east-1": virginia,
    });
    assertSelects(clusterWith(eastUs2), {
      eastus2: eastUs2,
      US_EAST_2: eastUs2,
      "EastUS2-Azure": eastUs2,
      "us-east-2": "missing",
      "east-us-2": "missing",
      "eastus2-gcp": "missing",
    });
  });

  it("knows the cloud from the end of the host names if the record does not show it", () => {
    const [aws, gcp, azure] = [virginia, carolina, eastUs2].map(({ cloud: _, ...rest }) => rest);
    assert.ok(aws && gcp && azure);
    assertSelects(clusterWith(aws, gcp, azure), {
      US_EAST_1: aws,
      "us-east-1": aws,
      "us-east1": gcp,
      EASTERN_US: gcp,
      eastus2: azure,
      US_EAST_2: azure,
      "us-east-2": "missing",
      "us-east1-gcp": gcp,
    });
  });

  it("takes _ for - only in a record of AWS, or of no known cloud", () => {
    for (const cloud of ["AWS", "aws", "A", undefined]) {
      const endpoint = { ...virginia, cloud };
      assertSelects(clusterWith(endpoint), { US_EAST_1: endpoint, "us-east-1": endpoint });
      const dashed = { ...virginia, cloud, record: "us-east-1" };
      assertSelects(clusterWith(dashed), { US_EAST_1: dashed, "us-east-1": dashed });
    }
    for (const cloud of ["GCP", "AZURE", "B"]) {
      const endpoint = { id: "e", cloud, record: "US_EAST_1", host: "useast" };
      assertSelects(clusterWith(endpoint), { US_EAST_1: endpoint, "us-east-1": "missing" });
    }
  });

  it("lets the records of a cloud decide before its host names", () => {
    // Reachable from us-west-2, although its host name shows the region of the cluster.
    const west = { id: "west", cloud: "AWS", record: "US_WEST_2", host: "us-east-1" };
    assertSelects(clusterWith(west), { "us-west-2": west, "us-east-1": "missing" });
    assertSelects(clusterWith(west, virginia), { "us-west-2": west, "us-east-1": virginia });
    const [one, two] = [
      { id: "one", cloud: "GCP", record: "us-east4", host: "us-east1-gcp" },
      { id: "two", cloud: "GCP", record: "us-east1", host: "us-east4-gcp" },
    ];
    assertSelects(clusterWith(one, two), { "us-east4": one, "us-east1": two });
    // Host names decide in another cloud.
    assertSelects(clusterWith(two, virginia), { "us-east4": two, US_EAST_1: virginia });
  });

  it("matches each endpoint ID of a shared string, and says which properties distinguish others", () => {
    const shared = clusterStrings({ privateEndpoint: [recordOf(virginia, carolina)] });
    for (const endpointId of ["vpce-0a", "GCP-EP"])
      assert.equal(selected(shared, { endpointId }).kind, "selected");
    const { kind, message } = selected(shared, { endpointId: "vpce-0b" });
    assert.equal(kind, "missing");
    assert.match(
      message,
      /returned only strings of other private endpoints\. Use one of these, or/,
    );
    const record = { srvConnectionString: srvOf({ id: "none" }), endpoints: [] };
    const both = clusterStrings({ privateEndpoint: [record, recordOf(virginia)] });
    assert.deepEqual(selected(both, {}).selectBy, ["endpointId", "region"]);
  });

  it("ignores host names in AWS if a record of the shared string is in AWS", () => {
    const east = { ...virginia, record: "US_WEST_2" };
    const strings = clusterStrings({ privateEndpoint: [recordOf(east, carolina)] });
    assertSelects(strings, { "us-west-2": east, EASTERN_US: east, "us-east-1": "missing" });
    // Host names in AWS count if all records are in other clouds.
    const outside = { ...carolina, host: "us-east-1" };
    const shared = clusterStrings({ privateEndpoint: [recordOf(outside, eastUs2)] });
    assertSelects(shared, { "us-east-1": outside });
    // A host name in another cloud counts.
    const other = { ...carolina, cloud: "AWS", record: "US_WEST_2" };
    assertSelects(clusterWith(other), { "us-west-2": other, "us-east1": other });
  });

  it("matches the region and the cloud of one endpoint of a shared string", () => {
    const [shared, other] = [eastUs2, { ...virginia, record: "EU_WEST_1" }];
    const strings = clusterStrings({ privateEndpoint: [recordOf(shared, other)] });
    assertSelects(strings, { "us-east-2": "missing", US_EAST_2: shared, "eu-west-1": shared });
    assert.deepEqual(strings.privateEndpoints[0]?.endpoints, [
      { endpointId: "PE-App", cloud: "AZURE", region: "US_EAST_2" },
      { endpointId: "vpce-0a", cloud: "AWS", region: "EU_WEST_1" },
    ]);
    assert.equal(strings.privateEndpoints[0].cloud, undefined);
    const { message } = selected(strings, { region: "us-east-2" });
    assert.match(message, /PE-App\+vpce-0a in US_EAST_2 and EU_WEST_1 \(AZURE, AWS, eastus2\)/);
  });

  it("selects a shared endpoint by any of its regions", () => {
    const [north, south] = [virginia, { ...virginia, record: "EU_WEST_1" }];
    const strings = clusterStrings({ privateEndpoint: [recordOf(north, south)] });
    assert.equal(strings.privateEndpoints[0]?.cloud, "AWS");
    assertSelects(strings, { "us-east-1": north, "EU-west-1": north, "us-east-2": "missing" });
    const another = { id: "other", cloud: "AWS", record: "eu-west-1" };
    const both = clusterStrings({ privateEndpoint: [recordOf(north, south), recordOf(another)] });
    assertSelects(both, { EU_WEST_1: "ambiguous", US_EAST_1: north });
    assert.deepEqual(selected(both, {}).selectBy, ["endpointId", "region"]);
  });

  it("selects an endpoint without a record by the region in its host names", () => {
    const [aws, gcp] = [
      { id: "a", host: "us-east-1" },
      { id: "b", host: "us-east1-gcp" },
    ];
    const strings = clusterWith(aws, gcp);
    assert.deepEqual(
      strings.privateEndpoints.map(({ region, cloud }) => [region, cloud]),
      [
        ["us-east-1", undefined],
        ["us-east1", "GCP"],
      ],
    );
    assertSelects(strings, { "us-east-1": aws, "us-east1": gcp, US_EAST1: "missing" });
  });

  it("names several matches with their clouds, and the regions that select one of them", () => {
    const west = (id: string, cloud: string, host: string) =>
      ({ id, cloud, record: "US_WEST_2", host }) as const;
    const [aws, gcp, azure] = [
      west("vpce", "AWS", "us-west-2"),
      west("psc", "GCP", "us-west2-gcp"),
      west("pe", "AZURE", "westus2-azure"),
    ];
    const strings = clusterWith(aws, gcp, azure);
    const { message, selectBy } = selected(strings, { region: "US_WEST_2" });
    assert.equal(
      message,
      "several private endpoints match: pe in US_WEST_2 (AZURE, westus2), psc in US_WEST_2 (GCP, us-west2), vpce in US_WEST_2 (AWS, us-west-2).",
    );
    assert.deepEqual(selectBy, ["endpointId", "region"]);
    assertSelects(strings, { "us-west-2": aws, "us-west2": gcp, westus2: azure });
  });

  it("does not suggest a region if all endpoints show the same ones", () => {
    const strings = clusterWith(virginia, { ...virginia, id: "vpce-0b", record: "us-east-1" });
    const { selectBy } = selected(strings, {});
    assert.deepEqual(selectBy, ["endpointId"]);
    assert.deepEqual(
      selected(clusterWith(virginia, virginia), { endpointId: "vpce-0a" }).selectBy,
      [],
    );
  });

  it("names the regions that there are, in both spellings, if none matches", () => {
    const { kind, message } = selected(clusterWith(virginia, carolina), { region: "us-west-2" });
    assert.equal(kind, "missing");
    assert.match(
      message,
      /^private endpoint string for region us-west-2: .*\(gcp-ep in EASTERN_US \(GCP, us-east1\), vpce-0a in US_EAST_1 \(AWS, us-east-1\)\)\.$/,
    );
  });
});

describe("select for private endpoints by ID", () => {
  const path = (group: string) => `/subscriptions/0/resourceGroups/${group}/privateEndpoints/pe`;
  const azure = { ...eastUs2, id: path("rg-app") };
  const azureSrv = "db+srv://orders-pl-0-eastus2-azure.ab1cd.db.example";
  const record = { ...recordOf(azure), srvConnectionString: azureSrv };

  it("compares IDs without case, and keeps the spelling of the service", () => {
    const strings = clusterStrings({ privateEndpoint: [record] });
    for (const endpointId of [path("RG-APP"), path("rg-app").toUpperCase()]) {
      assert.equal(selected(strings, { endpointId }).string, azureSrv);
    }
    assert.deepEqual(strings.privateEndpoints[0]?.endpointIds, [path("rg-app")]);
    assert.equal(selected(strings, { endpointId: path("rg-ap") }).kind, "missing");
  });

  it("adds the strings of the deprecated maps to the endpoint with the ID in any case", () => {
    const hosts = "db://pl-0-us-east-1.ab1cd.db.example:1024";
    const listed = recordOf({ id: "VPCE-1" });
    const other = "db+srv://b-pl-1.ab1cd.db.example";
    const { privateEndpoints } = clusterStrings({
      privateEndpoint: [listed],
      awsPrivateLink: { "vpce-1": hosts, "Vpce-2": hosts },
      awsPrivateLinkSrv: { "vpce-2": other },
    });
    assert.deepEqual(
      privateEndpoints.map(({ endpointIds, ...strings }) => [
        endpointIds,
        strings.hosts,
        strings.srv,
      ]),
      [
        [["VPCE-1"], hosts, listed.srvConnectionString],
        [["Vpce-2"], hosts, other],
      ],
    );
  });
});

/**
 * Regions as Atlas names them in records and host names, by cloud. The public sources are source/includes/ in
 * https://github.com/mongodb/docs (aws-, azure- and gcp-recommended-regions.rst), and for the host names
 * `pl-0-us-east1-gcp` and `pl-0-eastus2-azure` its pages about private endpoints.
 */
const regions = {
  AWS: namesIn("US_EAST_1, US_EAST_2, US_WEST_2, EU_WEST_1"),
  AZURE: namesIn("US_EAST eastus, US_EAST_2 eastus2, US_WEST_2 westus2, EUROPE_WEST westeurope"),
  GCP: namesIn(`
    EASTERN_US us-east1, US_EAST_4 us-east4, US_WEST_2 us-west2, WESTERN_EUROPE europe-west1,
    EUROPE_WEST_2 europe-west2`),
};

/** Reads names in records, each followed by the one in host names unless that follows from it. */
function namesIn(text: string): (readonly [record: string, host: string])[] {
  return text.split(",").map((names) => {
    const [record = "", host] = names.trim().split(" ");
    return [record, host ?? record.toLowerCase().replaceAll("_", "-")];
  });
}

describe("select for private endpoints in several clouds", () => {
  /** Every spelling that a record or a host name of the endpoint shows. */
  const spellingsOf = ({ cloud, record, host }: (typeof all)[number]) => {
    const name = host.replace(/-(azure|gcp)$/, "");
    return [record, name, `${name}-${cloud.toLowerCase()}`].flatMap((spelling) => [
      spelling,
      spelling.toLowerCase(),
      spelling.toUpperCase(),
    ]);
  };
  const all = Object.entries(regions).flatMap(([cloud, names]) =>
    names.map(([record, name]) => {
      const host = cloud === "AWS" ? name : `${name}-${cloud.toLowerCase()}`;
      return { id: `${cloud}-${record}`, cloud, record, host };
    }),
  );
  const several = fc
    .uniqueArray(fc.constantFrom(...all), { minLength: 2, maxLength: 5 })
    .filter((endpoints) => new Set(endpoints.map(({ cloud }) => cloud)).size > 1);
  const others = fc.array(fc.constantFrom(...all.flatMap(spellingsOf)), { maxLength: 10 });
  // Whether the record shows the cloud, or only the host names.
  const hasCloud = fc.boolean();

  it("selects each endpoint by every spelling that it alone shows, and by no other (property)", () => {
    fc.assert(
      fc.property(several, others, hasCloud, (endpoints, otherSpellings, isCloudShown) => {
        for (const present of [endpoints, endpoints.slice(1)]) {
          const strings = clusterWith(
            ...present.map((each) => ({ ...each, cloud: isCloudShown ? each.cloud : undefined })),
          );
          for (const region of [...endpoints.flatMap(spellingsOf), ...otherSpellings]) {
            const showing = present.filter((each) => spellingsOf(each).includes(region));
            const [only] = showing;
            const one = only === undefined ? "missing" : srvOf(only);
            const expected = showing.length > 1 ? "ambiguous" : one;
            const { kind, string } = selected(strings, { region });
            assert.equal(string ?? kind, expected, `${region} of ${present.map(srvOf).join()}`);
          }
        }
      }),
    );
  });
});
