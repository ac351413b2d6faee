/**
 * Parses and formats connection strings (service document 2.6): `<scheme>://<host>:<port>,...` or, in
 * SRV form, `<scheme>+srv://<host>`, followed by an optional database and options. Parsing and
 * formatting a string returns exactly the same text.
 */
import { isDeepStrictEqual } from "node:util";
import {
  ConnectionStringError,
  type ConnectionStringErrorCode,
  connectionStringErrorCodes as codes,
} from "./errors";

export interface ConnectionStringParts {
  /** As given. If it ends in `+srv`, the only host is the name of an SRV record. */
  readonly scheme: string;
  /** `user:password`, percent-encoded as given; undefined if the string has none. */
  readonly userInfo: string | undefined;
  /** At least one; in SRV form exactly one, without a port. */
  readonly hosts: readonly Host[];
  /** Percent-encoded as given; empty if there is only a slash. */
  readonly database: string | undefined;
  /** The text after the question mark, as given. */
  readonly options: string | undefined;
}

export interface ParsedConnectionString extends ConnectionStringParts {
  readonly form: "hosts" | "srv";
}

export interface Host {
  readonly name: string;
  /** 1 to 65535; undefined in SRV form, or if the string omits it. */
  readonly port: number | undefined;
}

/**
 * Parses a connection string. `format` turns the result back into the same text.
 *
 * @param connectionString the string, with any scheme
 * @returns its parts and its form
 * @throws {@link ConnectionStringError} with code `not-a-connection-string`, `invalid-host` or
 * `invalid-srv`
 * @example
 * parse("db+srv://orders.ab1cd.db.example/app").database; // "app"
 */
export function parse(connectionString: string): ParsedConnectionString {
  const parsed = parseOrProblem(connectionString);
  if ("hosts" in parsed) return parsed;
  throw new ConnectionStringError(parsed.code, parsed.problem);
}

interface Problem {
  readonly code: ConnectionStringErrorCode;
  readonly problem: string;
}

/**
 * Like {@link parse}, but returns the problem instead of throwing.
 *
 * @param text anything
 * @returns the parts, or what is wrong with the text
 */
export function parseOrProblem(text: string): ParsedConnectionString | Problem {
  const match = typeof text === "string" ? shape.exec(text) : null;
  if (match === null) return notAConnectionString;
  const [, scheme = "", userInfo, authority = "", database, options] = match;
  const hosts = authority.split(",").map(parseHost);
  if (!hosts.every((host) => host !== undefined)) return invalidHost;
  const form = scheme.toLowerCase().endsWith("+srv") ? "srv" : "hosts";
  if (form === "srv" && (hosts.length > 1 || hosts[0]?.port !== undefined)) return invalidSrv;
  return { scheme, form, userInfo, hosts, database, options };
}

const shape =
  /^([a-z][a-z0-9+.-]*):\/\/(?:([^/?#@\s]*)@)?([^/?#@\s]*)(?:\/([^?#\s]*))?(?:\?([^#\s]*))?$/i;

const notAConnectionString: Problem = {
  code: codes.notAConnectionString,
  problem:
    "the text is not a connection string, which is <scheme>://<host>:<port>,... or <scheme>+srv://<host>; special characters in it must be percent-encoded",
};
const invalidHost: Problem = {
  code: codes.invalidHost,
  problem:
    "a host of the connection string is not <host> or <host>:<port> with a port of 1 to 65535",
};
const invalidSrv: Problem = {
  code: codes.invalidSrv,
  problem: "a connection string in SRV form has one host, without a port",
};

const host = /^([a-z0-9._~%-]+|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?$/i;

function parseHost(text: string): Host | undefined {
  const [, name, port] = host.exec(text) ?? [];
  if (name === undefined || Number(port ?? 0) > 65535) return undefined;
  return { name, port: port === undefined ? undefined : Number(port) };
}

/**
 * Formats the parts as a connection string. Throws {@link ConnectionStringError} with code
 * `invalid-part` if it would not parse back to the same parts.
 */
export function format(parts: ConnectionStringParts): string {
  const { scheme, userInfo, hosts, database, options } = parts;
  const authority = hosts.map(({ name, port }) => (port === undefined ? name : `${name}:${port}`));
  const text = [
    `${scheme}://`,
    userInfo === undefined ? "" : `${userInfo}@`,
    authority.join(","),
    database === undefined ? "" : `/${database}`,
    options === undefined ? "" : `?${options}`,
  ].join("");
  const { form, ...readBack } = parse(text);
  const given = { scheme, userInfo, hosts: hosts.map(({ name, port }) => ({ name, port })) };
  if (isDeepStrictEqual(readBack, { ...given, database, options })) return text;
  throw new ConnectionStringError(
    codes.invalidPart,
    "a part of the connection string contains characters that must be percent-encoded",
  );
}
