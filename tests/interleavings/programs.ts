/** Programs as data, which both the real engine and the small one of this folder run. */
import type { ServedProvider } from "../../plugin/src/server";
import { projectId } from "../support/service";
import { type Action, otherProjectId } from "./service";

/** A resource of this package that a program declares. */
export interface Declared {
  readonly type: "PrivateIpMode" | "ClusterConnectionStrings";
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The names of earlier resources. */
  readonly dependsOn: readonly string[];
}

/** A resource of another provider. It acts on a cluster if an update creates it or changes its inputs. */
export interface OtherDeclared extends Pick<Declared, "name" | "dependsOn"> {
  readonly type: "Other";
  readonly inputs: {
    readonly action: Action;
    readonly cluster: string;
    /** How long it takes before the action and after it, which is also how long a replaced cluster is missing. */
    readonly secondsBefore: number;
    readonly secondsAfter: number;
  };
}

/** An operation on a stack, with the options of the Pulumi CLI. */
export type Operation<Resource = Declared | OtherDeclared> =
  | {
      readonly verb: "up";
      readonly program: readonly Resource[];
      /** The name of a resource to replace, as with `--replace`. */
      readonly replace?: string | undefined;
      readonly refresh?: boolean;
      readonly skipPreview?: boolean;
    }
  | { readonly verb: "refresh" }
  | { readonly verb: "destroy"; readonly refresh?: boolean };

/** Returns the name of a resource from its URN. */
export function nameIn(urn: string): string {
  return urn.split("::").at(-1) ?? "";
}

/** The calls about resources. */
export type ResourceCalls = Pick<
  ServedProvider,
  "check" | "diff" | "create" | "read" | "update" | "delete"
>;

/** A call, as far as the recording of the real engine shows it. */
export interface DescribedCall {
  readonly method: keyof ResourceCalls;
  readonly urn: string;
  readonly isPreview: boolean;
  /** Whether a check has the inputs of the last update. */
  readonly hasOlds: boolean;
}

/** Describes a call, such as `check mode with old inputs`. */
export function describeCall({ method, urn, isPreview, hasOlds }: DescribedCall): string {
  const isChange = method === "create" || method === "update";
  const phase = isChange ? (isPreview ? "preview " : "run ") : "";
  return `${phase}${method} ${nameIn(urn)}${hasOlds ? " with old inputs" : ""}`;
}

/** A program, and operations that show the order of the engine's calls. */
export interface Scenario {
  readonly title: string;
  readonly operations: readonly Operation<Declared>[];
  /** The engine may interleave the calls about different resources, which do not depend on each other. */
  readonly isIndependent?: boolean;
}

/** Returns the calls of a scenario, in an order that does not vary. */
export function comparable({ isIndependent = false }: Scenario, calls: readonly string[]): string {
  const resource = (call: string) => /(mode|lookup)/.exec(call)?.[1] ?? "";
  const ordered = isIndependent
    ? calls.toSorted((a, b) => resource(a).localeCompare(resource(b)))
    : calls;
  return ordered.join(", ");
}

function mode(enabled: boolean, changed: Partial<Declared> = {}): Declared {
  const { inputs, ...others } = changed;
  return {
    type: "PrivateIpMode",
    name: "mode",
    dependsOn: [],
    ...others,
    inputs: { projectId, enabled, ...inputs },
  };
}

const lookup = (dependsOn: readonly string[]): Declared => ({
  type: "ClusterConnectionStrings",
  name: "lookup",
  dependsOn,
  inputs: { projectId, clusterName: "orders" },
});

const up = (...program: readonly Declared[]): Operation<Declared> => ({ verb: "up", program });

export const scenarios: readonly Scenario[] = [
  {
    title: "has a lookup that depends on the mode",
    operations: [
      up(mode(true), lookup(["mode"])),
      up(mode(false), lookup(["mode"])),
      { verb: "destroy" },
    ],
  },
  {
    title: "moves to another project",
    operations: [up(mode(false)), up(mode(false, { inputs: { projectId: otherProjectId } }))],
  },
  {
    title: "is replaced with --replace",
    operations: [up(mode(false)), { verb: "up", program: [mode(false)], replace: "mode" }],
  },
  { title: "is renamed", operations: [up(mode(false)), up(mode(false, { name: "renamed" }))] },
  {
    title: "is refreshed",
    isIndependent: true,
    operations: [
      up(mode(false), lookup([])),
      { verb: "refresh" },
      { verb: "up", program: [mode(false), lookup([])], refresh: true },
    ],
  },
  {
    title: "is removed, and destroyed with a refresh",
    isIndependent: true,
    operations: [
      up(mode(false), lookup(["mode"])),
      up(lookup([])),
      up(mode(false), lookup([])),
      { verb: "destroy", refresh: true },
    ],
  },
];
