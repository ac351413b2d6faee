/**
 * A connection string taken apart (service document 2.6): `<scheme>://<host>:<port>,...` or, in SRV
 * form, `<scheme>+srv://<host>`, with an optional database and options behind it.
 */

export interface ParsedConnectionString {
  readonly scheme: string;
  /** The scheme says that the one host stands for an SRV record. */
  readonly form: "hosts" | "srv";
  readonly hosts: readonly Host[];
  /** What stands between the last host and the options, the slash included. */
  readonly path: string;
  /** What follows the question mark, as given. */
  readonly options: string | undefined;
}

export interface Host {
  readonly name: string;
  /** Undefined in SRV form, and where the string leaves it out. */
  readonly port: number | undefined;
}

const shape = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(\/[^?#]*)?(?:\?(.*))?$/is;

/**
 * Undefined where the text is no connection string, or one that holds credentials: those that the
 * service gives never do.
 */
export function parseConnectionString(text: string): ParsedConnectionString | undefined {
  const match = shape.exec(text);
  if (match === null) return undefined;
  const [, scheme = "", authority = "", path = "", options] = match;
  const hosts = authority.split(",").map(parseHost);
  if (!hosts.every((host) => host !== undefined)) return undefined;
  const form = scheme.toLowerCase().endsWith("+srv") ? "srv" : "hosts";
  return { scheme, form, hosts, path, options };
}

function parseHost(text: string): Host | undefined {
  const match = /^([a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(text);
  if (match?.[1] === undefined) return undefined;
  return { name: match[1], port: match[2] === undefined ? undefined : Number(match[2]) };
}
