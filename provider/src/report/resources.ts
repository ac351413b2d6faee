/** Names resources as a reader knows them, recognizes those of this package, and shows values without secrets. */
import { relative, resolve, sep } from "node:path";
import { parse } from "clouddb-connection-strings";
import { isSecret, isUnknown } from "../host/inputs";
import * as z from "zod/mini";

/** The properties of a resource: its inputs and outputs under their own names. */
export type Properties = Readonly<Record<string, unknown>>;

/** How reports show a secret. */
export const hiddenText = "[secret]";

/** A line of the program. */
export interface Position {
  /** The path, relative to the folder of the Pulumi project. */
  readonly file: string;
  readonly line: number;
}

/** The folder of this package, whose files are not the program's even if it is in the project's folder. */
const packageFolder = resolve(__dirname, "../..");

/** Returns the first of these places that is in the program itself, which is in this folder. */
export function positionIn(folder: string, places: readonly Position[]): Position | undefined {
  const found = places.map(({ file, line }) => {
    const path = resolve(folder, file);
    const parts = relative(folder, path).split(sep);
    const isOfPackage = parts.includes("node_modules") || path.startsWith(`${packageFolder}${sep}`);
    return parts.includes("..") || isOfPackage ? [] : [{ file: parts.join("/"), line }];
  });
  return found.flat()[0];
}

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
export function stackIn(urn: string | undefined): string | undefined {
  const [stack = "", project = ""] = urn?.split("::") ?? [];
  return urn === undefined ? undefined : `${project}/${stack.replace(/^urn:pulumi:/, "")}`;
}

/** Names a resource for a reader, such as `Secret orders-db`. */
export function label({ type, name }: Pick<ResourceName, "type" | "name">): string {
  return `${shortType(type)} ${name}`;
}

/** Returns the last part of a type, such as `Secret` of `kubernetes:core/v1:Secret`. */
export function shortType(type: string): string {
  return type.split(/[:/]/).at(-1) ?? type;
}

/** The type of the stack itself, whose properties are its outputs. */
export const stackType = "pulumi:pulumi:Stack";

/** Returns whether Pulumi does not count a resource: the stack itself and providers. */
export function isInternal(type: string): boolean {
  return type === stackType || type.startsWith("pulumi:providers:");
}

const ownTypes = ["PrivateIpMode", "ClusterConnectionStrings", "DatabaseUrl"] as const;
export type OwnType = (typeof ownTypes)[number];

/** Returns a version of this package's type token in either kind of provider, without its module. */
export function typeOf(token: string): OwnType | undefined {
  const [, type] = /^(?:pulumi-nodejs:dynamic\/clouddb:|clouddb:index:)(\w+)$/.exec(token) ?? [];
  return ownTypes.find((own) => own === type);
}

/** Names the network of a string as a program selects it, for a kind of `recommendedKind` or of `classify`. */
export function networkName(kind: string): string {
  return networkNames[kind] ?? kind;
}

const networkNames: Readonly<Record<string, string>> = {
  standardSrv: "internet",
  standard: "internet (hosts)",
  privateSrv: "peering",
  peeringPrivateSrv: "peering",
  private: "peering (hosts)",
  peeringPrivate: "peering (hosts)",
  privateEndpointSrv: "privateEndpoint",
  privateEndpoint: "privateEndpoint (hosts)",
  privateEndpointOptimizedSrv: "privateEndpoint (optimized)",
  optimizedPrivateEndpointSrv: "privateEndpoint (optimized)",
};

/** Returns the hosts of all connection strings in a value. */
export function hostsIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(hostsIn);
  if (typeof value !== "string") return [];
  try {
    return parse(value).hosts.map(({ name }) => name);
  } catch {
    return [];
  }
}

/** How a report shows a value that the preview does not know yet. */
export const unknownText = "(known after the update)";

/** How a report shows a value that was a secret, or becomes one. */
export const plainText = "plain text";

/** Returns whether a value, or a part of it, is marked as a secret. */
export function containsSecret(value: unknown): boolean {
  if (isSecret(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(containsSecret);
}

/** Shows a value as text without secrets. */
export function shownText(value: unknown): string {
  if (value === undefined || value === null) return "(none)";
  if (isUnknown(value)) return unknownText;
  if (containsSecret(value)) return hiddenText;
  if (typeof value === "string") return withoutSecrets(value);
  const text = JSON.stringify(value, (_, part: unknown) => (isUnknown(part) ? unknownText : part));
  return withoutSecrets(text);
}

/**
 * Replaces access tokens after `Bearer`, and credentials in URLs: in each word, everything between the first `://` and
 * the last `@`, because a password that is not encoded can contain any character. Does not recognize the rest of a
 * password after white space, or secrets of other forms.
 */
export function withoutSecrets(text: string): string {
  return text.replace(/\b(Bearer)\s+[\w.~+/-]+=*/gi, `$1 ${hiddenText}`).replace(/\S+/g, (word) => {
    const start = word.indexOf("://") + 3;
    const end = word.lastIndexOf("@");
    return start < 3 || end < start
      ? word
      : `${word.slice(0, start)}${hiddenText}${word.slice(end)}`;
  });
}
