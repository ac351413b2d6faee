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

export const all = "node go pymongo";

/** The drivers that refuse something, or the one that ignores it with a warning. */
export type Verdict = keyof typeof drivers | Several | "ignored by pymongo";
type Several = "node go" | "node pymongo" | "go pymongo" | typeof all;

/** Why a degree does not follow from the number of drivers. The specification speaks by its tests. */
const exceptions = {
  "refused by the specification": "refused",
  "accepted by the specification": "warning",
  "completed by code": "warning",
} as const;

export type Exception = keyof typeof exceptions;

/** What drivers refuse or ignore, if it applies. */
export type Refusal = readonly [
  applies: boolean,
  /** Such as `srvMaxHosts with replicaSet`. */
  what: string,
  verdict: Verdict,
  advice?: string | undefined,
  exception?: Exception | undefined,
];

/** Returns a finding about each that applies. By default, the advice is to remove it. */
export function refusals(
  details: Pick<Finding, "code" | "subject">,
  rows: readonly Refusal[],
): Finding[] {
  return rows
    .filter(([applies]) => applies)
    .map(([, what, verdict, advice = "Remove it.", exception]) => {
      const byNumber = namesIn(verdict).length > 1 ? "refused" : "warning";
      const degree = exception ? exceptions[exception] : byNumber;
      return { ...details, degree, problem: `${refuse(verdict, degree)} ${what}`, advice };
    });
}

function namesIn(verdict: Verdict): string[] {
  const keys = verdict.split(" ");
  return Object.entries(drivers).flatMap(([key, { name }]) => (keys.includes(key) ? name : []));
}

/** Says who refuses or ignores something, such as `the Go driver 2 refuses`. */
function refuse(verdict: Verdict, degree: Degree): string {
  const names = namesIn(verdict);
  const isMany = names.length > 1;
  const one = degree === "refused" ? "the specification" : names.join(" and ");
  const who = verdict === all || (degree === "refused" && isMany) ? "drivers" : one;
  return `${who} ${verdict.startsWith("ignored") ? "ignore" : "refuse"}${isMany ? "" : "s"}`;
}

// These return a finding whose degree does not follow from the number of drivers.
export const refused = findingOf("refused");
export const mistake = findingOf("mistake");
export const warning = findingOf("warning");

function findingOf(degree: Degree) {
  return (code: Finding["code"], problem: string, advice: string, subject?: string): Finding => {
    return { code, degree, subject, problem, advice };
  };
}

/** Returns a finding as two sentences. */
export function sentencesOf({ problem, advice }: Finding): string {
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}. ${advice}`;
}
