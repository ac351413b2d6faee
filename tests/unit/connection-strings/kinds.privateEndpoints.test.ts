import { type Row, endpointSrv, hosts, testRows } from "./classificationTable";

/** Private endpoint strings in service document 2.6, and their names from before 2020. */
const table: Row[] = [
  {
    what: "a private endpoint host list (2.6)",
    text: "db://pl-0-us-east-1.ab1cd.db.example:1024,pl-0-us-east-1.ab1cd.db.example:1025",
    expected: {
      kind: "privateEndpoint",
      cluster: undefined,
      endpointIndex: 0,
      region: "us-east-1",
      ...hosts,
      port: 1024,
    },
  },
  ...["us-east1-gcp", "us-east1"].map(
    (region): Row => ({
      what: `a private endpoint host list with nodes in ${region} (2.6)`,
      text: `db://pl-00-000-${region}.ab1cd.db.example:27017,pl-00-001-${region}.ab1cd.db.example:27017`,
      expected: {
        kind: "privateEndpoint",
        cluster: undefined,
        endpointIndex: 0,
        region: "us-east1",
        ...hosts,
      },
    }),
  ),
  {
    what: "a private endpoint host list with nodes, but without a region (2.6)",
    text: "db://pl-00-000.ab1cd.db.example:27017,pl-00-001.ab1cd.db.example:27017",
    expected: {
      kind: "privateEndpoint",
      cluster: undefined,
      endpointIndex: 0,
      region: undefined,
      ...hosts,
    },
  },
  {
    what: "a private endpoint SRV form that names the provider (2.6)",
    text: "db+srv://orders-pl-0-eastus2-azure.ab1cd.db.example",
    expected: {
      kind: "privateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      region: "eastus2",
      ...endpointSrv,
    },
  },
  {
    what: "a private endpoint host list with nodes from before 2020 (2.6)",
    text: "db://pl-00-000-us-east1-gcp-ab1cd.db.example:27017,pl-00-001-us-east1-gcp-ab1cd.db.example:27017",
    expected: {
      kind: "privateEndpoint",
      cluster: undefined,
      endpointIndex: 0,
      region: "us-east1",
      legacy: true,
      ...hosts,
    },
  },
  {
    what: "a private endpoint SRV form without a cluster name (2.6)",
    text: "db+srv://pl-12-us-east-1.ab1cd.db.example",
    expected: {
      kind: "privateEndpoint",
      cluster: undefined,
      endpointIndex: 12,
      region: "us-east-1",
      ...endpointSrv,
    },
  },
  {
    what: "a regionalized private endpoint SRV form (2.6)",
    text: "db+srv://my-orders-pl-1-eu-west-1.ab1cd.db.example",
    expected: {
      kind: "privateEndpoint",
      cluster: "my-orders",
      endpointIndex: 1,
      region: "eu-west-1",
      ...endpointSrv,
    },
  },
  {
    what: "a private endpoint SRV form without a region (2.6)",
    text: "db+srv://orders-pl-0.ab1cd.db.example",
    expected: {
      kind: "privateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      region: undefined,
      ...endpointSrv,
    },
  },
  {
    what: "an optimized SRV form (2.6)",
    text: "db+srv://orders-pl-0-lb.ab1cd.db.example",
    expected: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      ...endpointSrv,
    },
  },
  {
    what: "an optimized SRV form under a domain of one label (2.6)",
    text: "db+srv://orders-pl-0-lb.ab1cd.example",
    expected: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      ...endpointSrv,
      domain: "example",
    },
  },
  {
    what: "a host list with lb in its names as optimized, not as the region lb (2.6)",
    text: "db://orders-pl-0-lb.ab1cd.db.example:1024",
    expected: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      ...hosts,
      port: 1024,
    },
  },
  {
    what: "a private endpoint SRV form from before 2020 (2.6)",
    text: "db+srv://my-orders-pl-0-ab1cd.db.example",
    expected: {
      kind: "privateEndpoint",
      cluster: "my-orders",
      endpointIndex: 0,
      region: undefined,
      legacy: true,
      ...endpointSrv,
    },
  },
  {
    what: "a private endpoint host list from before 2020 (2.6)",
    text: "db://pl-0-us-east-1-ab1cd.db.example:1024,pl-0-us-east-1-ab1cd.db.example:1025",
    expected: {
      kind: "privateEndpoint",
      cluster: undefined,
      endpointIndex: 0,
      region: "us-east-1",
      legacy: true,
      ...hosts,
      port: 1024,
    },
  },
  {
    what: "a private endpoint string from before 2020 under a known domain of three labels (2.6)",
    text: "db+srv://orders-pl-0-ab1cd.eu.db.example",
    options: { domain: "eu.db.example" },
    expected: {
      kind: "privateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      region: undefined,
      legacy: true,
      ...endpointSrv,
      domain: "eu.db.example",
    },
  },
  {
    what: "a private endpoint string from before 2020 outside provider A (2.6)",
    text: "db://pl-1-eastus2-ab1cd.azure.db.example:1024",
    expected: {
      kind: "privateEndpoint",
      cluster: undefined,
      endpointIndex: 1,
      region: "eastus2",
      legacy: true,
      ...hosts,
      providerLabel: "azure",
      port: 1024,
    },
  },
  {
    what: "an optimized SRV form with a hyphen before the project label (2.6)",
    text: "db+srv://orders-pl-0-lb-ab1cd.db.example",
    expected: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      legacy: true,
      ...endpointSrv,
    },
  },
  {
    what: "an optimized host list with a hyphen before the project label (2.6)",
    text: "db://orders-pl-0-lb-ab1cd.db.example:1024",
    expected: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      legacy: true,
      ...hosts,
      port: 1024,
    },
  },
];

describe("classify for private endpoint strings", () => {
  testRows(table);
});
