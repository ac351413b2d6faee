/**
 * Detects two resources in a stack that hold the same project's mode: they would undo each other's
 * changes in every update. The provider process sees neither names nor URNs and cannot tell the two
 * apart, so the program detects them and `check` rejects the second one
 * (docs/decisions/0007-one-holder-of-a-mode.md).
 */
import { recordedSettings } from "../program/recordedSettings";
import { runState } from "../program/runState";
import * as pulumi from "../program/sdk";
import { environmentVariable } from "../session/settingNames";

interface Holder {
  readonly name: string;
}

/** Holders by service, then by project. */
type Holders = Map<unknown, Map<string, Holder>>;

/**
 * Records that a resource holds a project's mode. Two resources conflict only if they are certain to
 * use the same service ({@link serviceOf}): after a false positive, there would be no way to declare
 * both.
 *
 * @param name the name of the resource
 * @param projectId the project
 * @param provider the resource's provider; undefined for the stack's default one
 * @returns the name of the resource in this run that already holds the project, if any
 */
export function earlierHolder(
  name: string,
  projectId: pulumi.Input<string>,
  provider: pulumi.ProviderResource | undefined,
): pulumi.Input<string | undefined> {
  const holders = runState("holders.1", isHolders, (): Holders => new Map());
  if (holders === undefined) return undefined;
  const byProject = entry(holders, serviceOf(provider), () => new Map<string, Holder>());
  const self: Holder = { name };
  const earlier = (id: string) => {
    const holder = entry(byProject, id, () => self);
    return holder === self ? undefined : holder.name;
  };
  return typeof projectId === "string"
    ? earlier(projectId)
    : pulumi.output(projectId).apply(earlier);
}

/**
 * Returns a value that is only equal for two providers if they are certain to use the same service: the
 * origin of the base URL, the output that the URL comes from, or, for a provider whose base URL is not
 * accessible because it is not a `clouddb.Provider`, the provider itself.
 *
 * @param provider undefined for the stack's default provider
 * @returns a value to compare with ===
 */
export function serviceOf(provider: pulumi.ProviderResource | undefined): unknown {
  const recorded = provider === undefined ? undefined : recordedSettings(provider);
  if (recorded === "none" || recorded === "unreadable") return provider;
  const inherited = () =>
    new pulumi.Config("clouddb").get("baseUrl") || process.env[environmentVariable("baseUrl")];
  const service = recorded?.baseUrl ?? inherited();
  return typeof service === "string" && URL.canParse(service) ? new URL(service).origin : service;
}

/** Accepts any map: only this module, in any copy of the package, stores one under this name. */
function isHolders(value: unknown): value is Holders {
  return value instanceof Map;
}

function entry<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  create: () => Value,
): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
