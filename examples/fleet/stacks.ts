/** The stacks of the fleet. */

/** One stack. */
export interface FleetStack {
  /** The name of the Pulumi stack. */
  readonly name: string;
  /** The service's project. Several stacks may use the same one. */
  readonly projectId: string;
  /** The project's private IP mode. Only one stack of a project may manage it. Default: not managed */
  readonly privateIpMode?: boolean;
  /** The clusters whose connection strings the stack exports. */
  readonly clusters: readonly string[];
}

export const stacks: readonly FleetStack[] = [
  {
    name: "orders-eu",
    projectId: "64a0c0ffee0000000000a001",
    privateIpMode: false,
    clusters: ["orders"],
  },
  {
    name: "orders-reports",
    projectId: "64a0c0ffee0000000000a001",
    clusters: ["analytics", "billing"],
  },
  { name: "partner", projectId: "64a0c0ffee0000000000b001", clusters: ["reports"] },
];
