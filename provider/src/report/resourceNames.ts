/** Names resources as a reader knows them, and recognizes those of this package. */
import * as z from "zod/mini";

/** What a URN says of a resource. */
export interface ResourceName {
  readonly urn: string;
  /** The type token, without the types of its parents. */
  readonly type: string;
  readonly name: string;
}

export const urnSchema = z
  .string()
  .check(z.regex(/^urn:pulumi:[^:]+::[^:]+::[^:].*::/su, "not a URN"));

/** Returns the type and the name in a URN, `urn:pulumi:<stack>::<project>::<types>::<name>`. */
export function parseUrn(urn: string): ResourceName {
  const [, , types = "", ...name] = urn.split("::");
  return { urn, type: types.split("$").at(-1) ?? "", name: name.join("::") };
}

/** Returns the project and the stack in a URN, such as `infra/production`. */
export function stackIn(urn: string): string {
  const [stack = "", project = ""] = urn.split("::");
  return `${project}/${stack.replace(/^urn:pulumi:/, "")}`;
}

/** Names a resource for a reader, such as `Secret orders-db`. */
export function label({ type, name }: ResourceName): string {
  return `${shortType(type)} ${name}`;
}

/** Returns the last part of a type, such as `Secret` of `kubernetes:core/v1:Secret`, and `Provider` for any provider. */
export function shortType(type: string): string {
  return isProvider(type) ? "Provider" : (type.split(/[:/]/).at(-1) ?? type);
}

/** Returns whether a type is that of a provider, such as `pulumi:providers:kubernetes`. */
function isProvider(type: string): boolean {
  return type.startsWith("pulumi:providers:");
}

/** The type of the stack itself, whose properties are its outputs. */
export const stackType = "pulumi:pulumi:Stack";

/** Returns whether a type is that of the stack itself or of a provider. */
export function isInternal(type: string): boolean {
  return type === stackType || isProvider(type);
}

/** Returns whether Pulumi does not count a resource: the stack itself and its default providers. */
export function isUncounted({ type, name }: ResourceName): boolean {
  return type === stackType || (isProvider(type) && /^default(?:_|$)/.test(name));
}

const ownTypes = ["PrivateIpMode", "ClusterConnectionStrings", "DatabaseUrl"] as const;
export type OwnType = (typeof ownTypes)[number];

/** Returns a version of this package's type token in either kind of provider, without its module. */
export function typeOf(token: string): OwnType | undefined {
  const [, type] = /^(?:pulumi-nodejs:dynamic\/clouddb:|clouddb:index:)(\w+)$/.exec(token) ?? [];
  return ownTypes.find((own) => own === type);
}

/** Returns whether a resource is of this package, or is its provider. Other dynamic providers share that of npm. */
export function isOwn(urn: string): boolean {
  const { type } = parseUrn(urn);
  return typeOf(type) !== undefined || type === "pulumi:providers:clouddb";
}
