/**
 * The drivers that judge connection strings, and the degree that follows from what they do. They disagree about many
 * strings, so drivers refuse a string if at least two of these three do, before they connect. `tests/drivers` compares
 * the rules with them.
 */
import type { ConnectionStringErrorCode } from "../errors";

interface Driver {
  readonly name: string;
  /** The version with which the rules are compared. */
  readonly version: string;
}

export const drivers = {
  node: { name: "the Node.js driver 7", version: "7.9.0" },
  go: { name: "the Go driver 2", version: "2.10.0" },
  pymongo: { name: "PyMongo 4", version: "4.20.1" },
} as const satisfies Record<string, Driver>;

/** What a finding means. */
export type Degree =
  /** Drivers refuse the string before they connect. */
  | "refused"
  /** Nobody means it, or the server refuses it, whatever drivers do. */
  | "mistake"
  /** One driver refuses it, some ignore a part of it, or code has to add something. */
  | "warning";

/** A finding in a connection string. No text of it contains any part of the string. */
export interface Finding {
  /** What was found. */
  readonly code: ConnectionStringErrorCode;
  /** Whether drivers refuse the string, nobody means it, or only some drivers have a problem with it. */
  readonly degree: Degree;
  /**
   * The character, the part of the text (`username`, `password`, `host` or `database`), the scheme that is probably meant,
   * or the name of the option. Absent for an option that drivers do not know, because that may be part of a password.
   */
  readonly subject?: string | undefined;
  /** What is wrong, without a capital letter and a full stop, such as `the password is a placeholder`. */
  readonly problem: string;
  /** What to do, as a sentence. */
  readonly advice: string;
}

/** The drivers that refuse something, or the one that ignores it with a warning. */
export type Verdict =
  | "node"
  | "go"
  | "pymongo"
  | "node go"
  | "node pymongo"
  | "go pymongo"
  | "node go pymongo"
  | "ignored by pymongo";

/** Why a degree does not follow from the number of drivers. The specification speaks by its tests. */
const exceptions = {
  "the specification refuses it": "refused",
  "the specification accepts it": "warning",
  "code can add what is missing": "warning",
} as const;

export type Exception = keyof typeof exceptions;

/** What is about all findings with a verdict: `exception` if their degree does not follow from it. */
type Details = Omit<Finding, "degree" | "problem"> & { readonly exception?: Exception | undefined };

/** Returns a finding about what drivers refuse or ignore, which `what` names, such as `srvMaxHosts with replicaSet`. */
export function driverFinding(
  verdict: Verdict,
  what: string,
  { exception, ...finding }: Details,
): Finding {
  const keys = verdict.split(" ");
  const named = Object.entries(drivers).flatMap(([key, { name }]) =>
    keys.includes(key) ? name : [],
  );
  const isMany = named.length > 1;
  const degree = exception ? exceptions[exception] : isMany ? "refused" : "warning";
  const [one, many] =
    degree === "refused" ? ["the specification", "drivers"] : [named[0], named.join(" and ")];
  const isAll = named.length === Object.keys(drivers).length;
  const who = isAll ? "drivers" : isMany ? many : one;
  const verb = keys.includes("ignored") ? "ignore" : "refuse";
  return { ...finding, degree, problem: `${who} ${verb}${isMany ? "" : "s"} ${what}` };
}

/** Returns a finding about what nobody means. */
export function mistake(
  code: Finding["code"],
  problem: string,
  advice: string,
  subject?: string,
): Finding {
  return { code, degree: "mistake", subject, problem, advice };
}

/** Returns a finding as two sentences. */
export function sentencesOf({ problem, advice }: Finding): string {
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}. ${advice}`;
}
