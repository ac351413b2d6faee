/**
 * The outputs of a lookup. `GetConnectionStringsResult` declares them; the outputs of the resource
 * derive from it, and `outputPresence` and recordedLookup.ts only compile if they list each of them.
 */
import type {
  ClusterStrings,
  ConnectionStringKind,
  PrivateEndpointStrings,
} from "clouddb-connection-strings";

/**
 * The result of a lookup: every string that the service returned for the cluster, unchanged, and the
 * one to use (service document 2.6).
 */
export interface GetConnectionStringsResult extends ClusterStrings {
  /** The ID of the project. */
  readonly projectId: string;
  /** The name of the cluster. */
  readonly clusterName: string;
  /** The string for the requested network and form. */
  readonly recommended: string;
  /** The kind of the recommended string. */
  readonly recommendedKind: ConnectionStringKind;
  /** The private endpoints, ordered by index. */
  readonly privateEndpoints: PrivateEndpointStrings[];
  /** The full database version, `<major>.<minor>.<patch>`. */
  readonly databaseVersion?: string;
}

type Presence<Result> = {
  readonly [Name in keyof Result]-?: undefined extends Result[Name] ? "optional" : "always";
};

/** Every output, and whether every cluster has it. */
const outputPresence: Presence<GetConnectionStringsResult> = {
  projectId: "always",
  clusterName: "always",
  recommended: "always",
  recommendedKind: "always",
  standard: "optional",
  standardSrv: "optional",
  private: "optional",
  privateSrv: "optional",
  legacy: "optional",
  legacySrv: "optional",
  privateEndpoints: "always",
  databaseVersion: "optional",
  others: "optional",
};

/** The names of the outputs that a cluster may lack. */
export const optionalOutputs = namesOf(outputPresence).filter(
  (name) => outputPresence[name] === "optional",
);

/** Every output without a value. */
export const undefinedOutputs = filledWith(namesOf(outputPresence), undefined);

/**
 * The optional outputs as null. If they were omitted from the state, the engine would show them as
 * unknown in every preview (docs/decisions/0013-absent-outputs.md).
 */
export const nullOutputs = filledWith(optionalOutputs, null);

function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  const names: Name[] = [];
  for (const name in record) names.push(name);
  return names;
}

function filledWith<Value>(names: readonly string[], value: Value): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
