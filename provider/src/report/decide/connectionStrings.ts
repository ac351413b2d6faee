/** Names the networks of connection strings, and finds connection strings in other text. */
import { decoded } from "../values";

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

/** A connection string in a text, as far as it says which one it is. */
export interface FoundString {
  /** The hosts with their ports, in lower case, separated by commas. */
  readonly hosts: string;
  /** The user, which other text can precede, as in `URL=app:...`. Empty without an `@`. */
  readonly user: string;
  /** Still percent-encoded. Undefined without a colon. */
  readonly password: string | undefined;
  readonly database: string;
  /** The text after the question mark. */
  readonly options: string;
}

const host = String.raw`(?:\[[0-9a-f:.]+\]|[\w.~-]+)(?::\d+)?`;
/**
 * Matches hosts after `://` or `@`, and what follows them. What continues with an `@` is a user, and what continues with
 * `://` is the next string.
 */
const hostsInText = new RegExp(
  String.raw`(?<start>:\/\/|@)(?<hosts>${host}(?:,${host})*)(?![\w~+-]|:[\w/]|[^\s"'\`\\/?]*@)(?:\/(?<database>[^\s"'\`\\?@]*))?(?:\?(?<options>[^\s"'\`\\@]*))?`,
  "gi",
);
/** Separates the text before an `@` from what is not a part of the same string. */
const beforeUserInfo = /:\/\/|[\s"'`\\]/;
/** The maximum length of a user name and a password that are read. */
const maxUserInfo = 4000;

/** Finds the connection strings in a text, which may be JSON, a command, or `NAME=<string>`. */
export function stringsIn(text: string): FoundString[] {
  return Array.from(text.matchAll(hostsInText), ({ index, groups = {} }) => {
    const before = text.slice(Math.max(0, index - maxUserInfo), index);
    const userInfo = groups["start"] === "@" ? before.split(beforeUserInfo).at(-1) : undefined;
    const [user = "", password] = userInfo?.split(/:(.*)/s) ?? [];
    return {
      hosts: normalHosts(groups["hosts"]),
      user: decoded(user),
      password,
      database: decoded(groups["database"] ?? ""),
      options: groups["options"] ?? "",
    };
  });
}

/** Returns hosts in lower case, without a period that ends a name or a sentence. */
function normalHosts(hosts = ""): string {
  return hosts.toLowerCase().replaceAll(/\.(?=[,:]|$)/g, "");
}

/** Returns the hosts of the connection strings in a value and in its parts. */
export function hostsIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(hostsIn);
  return typeof value === "string" ? stringsIn(value).map(({ hosts }) => hosts) : [];
}
