/** Programs as data, which both the real engine and the small one of this folder run. */
import type { Provider } from "../../plugin/src/server";
import { projectId } from "../support/service";
import { otherProjectId } from "./seed";
import type { Action } from "./service";

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
  Provider,
  "check" | "diff" | "create" | "read" | "update" | "delete"
>;

/** Returns a provider that adds a line for each call about a resource, such as `check mode with old inputs`. */
export function recordCalls<P extends ResourceCalls>(provider: P, calls: string[]): P {
  const recorders: Record<keyof ResourceCalls, (...args: never[]) => string> = {
    check: (urn: string, olds: object) =>
      `check ${nameIn(urn)}${Object.keys(olds).length === 0 ? "" : " with old inputs"}`,
    diff: (urn: string) => `diff ${nameIn(urn)}`,
    create: (urn: string, _inputs: object, { preview }: { preview: boolean }) =>
      `${preview ? "preview" : "run"} create ${nameIn(urn)}`,
    read: (urn: string) => `read ${nameIn(urn)}`,
    update: (
      urn: string,
      _id: string,
      _olds: object,
      _news: object,
      options: { preview: boolean },
    ) => `${options.preview ? "preview" : "run"} update ${nameIn(urn)}`,
    delete: (urn: string) => `delete ${nameIn(urn)}`,
  };
  return new Proxy(provider, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const [, recorder] = Object.entries(recorders).find(([method]) => method === name) ?? [];
      return (...args: never[]): unknown => {
        if (recorder !== undefined) calls.push(recorder(...args));
        return value.apply(target, args) as unknown;
      };
    },
  });
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
  { title: "creates and destroys", operations: [up(mode(false)), { verb: "destroy" }] },
  { title: "changes nothing", operations: [up(mode(false)), up(mode(false))] },
  { title: "updates", operations: [up(mode(true)), up(mode(false))] },
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
