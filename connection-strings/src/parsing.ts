/**
 * Parses and formats connection strings (service document 2.6): `<scheme>://<host>:<port>,...` or, in SRV form,
 * `<scheme>+srv://<host>`, followed by an optional database and options. Parsing and formatting a string returns
 * exactly the same text.
 */
import { isDeepStrictEqual } from "node:util";
import { ConnectionStringError, type ConnectionStringErrorCode } from "./errors";

/** The form of a connection string. */
export type StringForm =
  /** The name of an SRV record. */
  | "srv"
  /** The list of hosts. */
  | "hosts";

/** The parts of a connection string, as `format` takes them. */
export interface ConnectionStringParts {
  /** The text before `://`, unchanged. If it ends in `+srv`, the host is the name of an SRV record. */
  readonly scheme: string;
  /** `user` or `user:password`, still percent-encoded; undefined if the string has none. */
  readonly userInfo: string | undefined;
  /** At least one host; in SRV form exactly one, without a port. */
  readonly hosts: readonly Host[];
  /** The text after the slash, still percent-encoded. Empty if nothing follows it; undefined without a slash. */
  readonly database: string | undefined;
  /** The text after the question mark, unchanged; undefined if there is no question mark. */
  readonly options: string | undefined;
}

/** The parts of a connection string and its form, as `parse` returns them. */
export interface ParsedConnectionString extends ConnectionStringParts {
  /** `srv` if the scheme ends in `+srv`, else `hosts`. */
  readonly form: StringForm;
}

/** One host of a connection string. */
export interface Host {
  /** A host name, an IPv4 address, or an IPv6 address in brackets. Unchanged. */
  readonly name: string;
  /** 1 to 65535; undefined in SRV form, or if the string omits it. */
  readonly port: number | undefined;
}

/**
 * Parses a connection string. `format` turns the result back into the same text.
 *
 * @param connectionString the string, with any scheme
 * @returns its parts and its form
 * @throws {@link ConnectionStringError} with code `not-a-connection-string` for other text,
 * `invalid-host` for a malformed host or port, and `invalid-srv` for an SRV form with several hosts, a
 * port or an address
 * @example
 * parse("mongodb+srv://orders.ab1cd.db.example/app").database; // "app"
 */
export function parse(connectionString: string): ParsedConnectionString {
  const parsed = parseOrProblem(connectionString);
  if (parsed.kind === "parsed") return parsed.parts;
  throw new ConnectionStringError(parsed.code, parsed.problem);
}

/**
 * Formats parts as a connection string.
 *
 * @param parts the parts, percent-encoded. Any other properties, such as `form`, are ignored.
 * @returns the connection string. Parsing it returns the same parts.
 * @throws {@link ConnectionStringError} with code `invalid-part`, `not-a-connection-string`,
 * `invalid-host` or `invalid-srv` if the text would not parse back to the same parts
 * @example
 * format({ ...parse("mongodb://a.db.example:27017"), database: "app" }); // "mongodb://a.db.example:27017/app"
 */
export function format(parts: ConnectionStringParts): string {
  const { scheme, userInfo, hosts, database, options } = parts;
  const text = joinText(parts);
  const { form, ...parsedParts } = parse(text);
  const plainHosts = hosts.map(({ name, port }) => ({ name, port }));
  const plainParts = { scheme, userInfo, hosts: plainHosts, database, options };
  if (isDeepStrictEqual(parsedParts, plainParts)) return text;
  throw new ConnectionStringError(
    "invalid-part",
    "a part of the connection string contains characters that must be percent-encoded",
  );
}

/** Joins parts, whatever they are. */
export function joinText(parts: ConnectionStringParts): string {
  const { scheme, userInfo, hosts, database, options } = parts;
  const authority = hosts.map(({ name, port }) => (port === undefined ? name : `${name}:${port}`));
  return [
    `${scheme}://`,
    userInfo === undefined ? "" : `${userInfo}@`,
    authority.join(","),
    database === undefined ? "" : `/${database}`,
    options === undefined ? "" : `?${options}`,
  ].join("");
}

type ParseResult =
  | { readonly kind: "parsed"; readonly parts: ParsedConnectionString }
  | ParsingProblem;

/** Why text is not a connection string. */
export interface ParsingProblem {
  readonly kind: "problem";
  readonly code: ConnectionStringErrorCode;
  readonly problem: string;
}

/** Like {@link parse}, but returns the problem instead of throwing. */
export function parseOrProblem(text: string): ParseResult {
  const isText = typeof text === "string" && !invisibleCharacter.test(text);
  const match = isText ? connectionStringPattern.exec(text) : null;
  if (match === null) return notAConnectionString;
  const { scheme = "", userInfo, authority = "", database, options } = match.groups ?? {};
  if (userInfo !== undefined && !isUserInfo(userInfo)) return notAConnectionString;
  if (mayEndPassword(options, database)) return notAConnectionString;
  const hosts = authority.split(",").map(parseHost);
  if (!hosts.every((host) => host !== undefined)) return invalidHost;
  const form = scheme.toLowerCase().endsWith("+srv") ? "srv" : "hosts";
  if (form === "srv" && !(hosts.length === 1 && hosts.every(isSrvHost))) return invalidSrv;
  const parts: ParsedConnectionString = { scheme, form, userInfo, hosts, database, options };
  return { kind: "parsed", parts };
}

/**
 * Captures the parts of a connection string. Does not match an `@` in the database, because it may end a password that
 * contains an unencoded slash.
 */
const connectionStringPattern =
  /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?:(?<userInfo>[^/?#@]*)@)?(?<authority>[^/?#@]*)(?:\/(?<database>[^?#@]*))?(?:\?(?<options>[^#]*))?$/i;

/** White space, control characters, invisible formatting characters and lone surrogates. */
const invisibleCharacter = /[\s\p{Cc}\p{Cf}\p{Cs}]/u;

const notAConnectionString: ParsingProblem = {
  kind: "problem",
  code: "not-a-connection-string",
  problem:
    "the text is not a connection string: expected <scheme>://<host>:<port>,... or <scheme>+srv://<host>, without quotes and spaces, and with special characters percent-encoded",
};
const invalidHost: ParsingProblem = {
  kind: "problem",
  code: "invalid-host",
  problem:
    "a host of the connection string is not <host> or <host>:<port> with a port of 1 to 65535, or is longer than a name in DNS",
};
const invalidSrv: ParsingProblem = {
  kind: "problem",
  code: "invalid-srv",
  problem: "a connection string in SRV form must have exactly one host name, without a port",
};

/** Returns whether text is `user` or `user:password`, with all other colons percent-encoded. */
function isUserInfo(text: string): boolean {
  return /^[^:[\]]+(?::[^:[\]]*)?$/.test(text) && isPercentEncoded(text);
}

/** Returns whether an `@` in the options may end a password that contains an unencoded question mark. */
function mayEndPassword(options: string | undefined, database: string | undefined): boolean {
  if (options === undefined || !options.includes("@")) return false;
  return database === undefined || !options.split("&").every(isOption);
}

/** Returns whether an `@` is only in the value. Anywhere else, it may end a password. */
function isOption(text: string): boolean {
  return /^[^@=]*(?:=|$)/.test(text);
}

/** Removes white space around a string, and after commas between its hosts. */
export function withoutSpace(text: string): string {
  const [, before, hosts = "", rest = ""] = hostsPattern.exec(text) ?? [];
  return before === undefined ? text : `${before}${hosts.replace(/,\s+/g, ",")}${rest}`.trimEnd();
}

/** Captures what precedes the hosts, the hosts, and what follows them. */
const hostsPattern = /^\s*([a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?)([^/?#@]*)([^]*)$/i;

/** Captures the name of a host, or its address, and its port. */
const hostPattern = /^([a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?$/i;

/** The limits of names in DNS (RFC 1035 2.3.4), here with a dot at the end. They also limit the time of `classify`. */
const maxNameLength = 254;
const longLabel = /[^.]{64}/;

function parseHost(text: string): Host | undefined {
  const [, name, port] = hostPattern.exec(text) ?? [];
  if (name === undefined || Number(port ?? 0) > 65535) return undefined;
  if (name.length > maxNameLength || longLabel.test(name)) return undefined;
  // Not with node:net, so that applications can bundle the package for any platform.
  if (name.startsWith("[") && !URL.canParse(`http://${name}`)) return undefined;
  return { name, port: port === undefined ? undefined : Number(port) };
}

/** Returns whether text is percent-encoded correctly, unlike `%4`, `%zz` and `%ff`. */
export function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a host can be that of the SRV form, which is a name, not an address, and has no port. */
function isSrvHost({ name, port }: Host): boolean {
  return port === undefined && !/^\d+(?:\.\d+){3}$/.test(name) && !name.startsWith("[");
}
