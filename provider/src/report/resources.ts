/** Names resources as a reader knows them, recognizes those of this package, and shows values without secrets. */
import { relative, resolve, sep } from "node:path";
import { parse } from "clouddb-connection-strings";
import { isUnknown } from "../host/inputs";
import * as z from "zod/mini";

/** The properties of a resource: its inputs and outputs under their own names. */
export type Properties = Readonly<Record<string, unknown>>;

/** How previews write a secret, and how reports do. */
export const secret = "[secret]";

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

export interface ResourceName {
  readonly urn: string;
  /** The type token, without the types of its parents. */
  readonly type: string;
  readonly name: string;
}

export const urnSchema = z
  .string()
  .check(z.regex(/^urn:pulumi:[^:]+::[^:]+::[^:].*::/su, "not a URN"));

/** Returns the name in a URN, `urn:pulumi:<stack>::<project>::<types>::<name>`. */
export function nameOf(urn: string): ResourceName {
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

export const unknownText = "(known after the update)";

export function shownText(value: unknown): string {
  if (value === undefined || value === null) return "(none)";
  if (isUnknown(value) || value === "[unknown]") return unknownText;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // How exports and previews write a secret.
  return /\[secret\]|1b47061264138c4ac30d75fd1eb44270/.test(text) ? secret : withoutSecrets(text);
}

/**
 * Replaces access tokens after `Bearer`, and credentials in URLs: in each word, everything between the first `://` and
 * the last `@`, because a password that is not encoded can contain any character. Does not recognize the rest of a
 * password after white space, or secrets of other forms.
 */
export function withoutSecrets(text: string): string {
  return text.replace(/\b(Bearer)\s+[\w.~+/-]+=*/gi, `$1 ${secret}`).replace(/\S+/g, (word) => {
    const start = word.indexOf("://") + 3;
    const end = word.lastIndexOf("@");
    return start < 3 || end < start ? word : `${word.slice(0, start)}${secret}${word.slice(end)}`;
  });
}
