import { type Row, endpointSrv, hosts, testRows } from "./kindRows";

/** Private endpoint strings in service document 2.6, and their names from before 2020. */
const table: Row[] = [
  {
    row: "2.6 private endpoint, host list",
    of: "db://pl-0-us-east-1.ab1cd.db.example:1024,pl-0-us-east-1.ab1cd.db.example:1025",
    is: {
      kind: "privateEndpoint",
      cluster: undefined,
      endpointIndex: 0,
      region: "us-east-1",
      ...hosts,
      port: 1024,
    },
  },
  {
    row: "2.6 private endpoint, default SRV form",
    of: "db+srv://pl-12-us-east-1.ab1cd.db.example",
    is: {
      kind: "privateEndpoint",
      cluster: undefined,
      endpointIndex: 12,
      region: "us-east-1",
      ...endpointSrv,
    },
  },
  {
    row: "2.6 private endpoint, regionalized SRV form",
    of: "db+srv://my-orders-pl-1-eu-west-1.ab1cd.db.example",
    is: {
      kind: "privateEndpoint",
      cluster: "my-orders",
      endpointIndex: 1,
      region: "eu-west-1",
      ...endpointSrv,
    },
  },
  {
    row: "2.6 private endpoint, SRV form of services that leave the region out",
    of: "db+srv://orders-pl-0.ab1cd.db.example",
    is: {
      kind: "privateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      region: undefined,
      ...endpointSrv,
    },
  },
  {
    row: "2.6 optimized SRV",
    of: "db+srv://orders-pl-0-lb.ab1cd.db.example",
    is: { kind: "optimizedPrivateEndpoint", cluster: "orders", endpointIndex: 0, ...endpointSrv },
  },
  {
    row: "2.6 optimized SRV under a domain of one label",
    of: "db+srv://orders-pl-0-lb.ab1cd.example",
    is: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      ...endpointSrv,
      domain: "example",
    },
  },
  {
    row: "2.6 optimized: `lb` is not a region in a host list",
    of: "db://orders-pl-0-lb.ab1cd.db.example:1024",
    is: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      ...hosts,
      port: 1024,
    },
  },
  {
    row: "2.6 private endpoint before 2020, SRV form",
    of: "db+srv://my-orders-pl-0-ab1cd.db.example",
    is: {
      kind: "privateEndpoint",
      cluster: "my-orders",
      endpointIndex: 0,
      region: undefined,
      legacy: true,
      ...endpointSrv,
    },
  },
  {
    row: "2.6 private endpoint before 2020, host list",
    of: "db://pl-0-us-east-1-ab1cd.db.example:1024,pl-0-us-east-1-ab1cd.db.example:1025",
    is: {
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
    row: "2.6 private endpoint before 2020, under a domain of three labels that is given",
    of: "db+srv://orders-pl-0-ab1cd.eu.db.example",
    given: { domain: "eu.db.example" },
    is: {
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
    row: "2.6 private endpoint before 2020, outside provider A",
    of: "db://pl-1-eastus2-ab1cd.azure.db.example:1024",
    is: {
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
    row: "2.6 optimized, with a hyphen before the project label",
    of: "db+srv://orders-pl-0-lb-ab1cd.db.example",
    is: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      legacy: true,
      ...endpointSrv,
    },
  },
  {
    row: "2.6 optimized, host list with a hyphen before the project label",
    of: "db://orders-pl-0-lb-ab1cd.db.example:1024",
    is: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      legacy: true,
      ...hosts,
      port: 1024,
    },
  },
];

describe("classify, for private endpoints", () => {
  testRows(table);
});
