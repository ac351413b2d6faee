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

/** Why a degree does not follow from the number of drivers. The specification speaks by its tests. */
const exceptions = {
  "the specification refuses it": "refused",
  "the specification accepts it": "warning",
  "code can add what is missing": "warning",
} as const;

/** Which drivers do not take a string, or a part of it, as it is. */
export interface Verdict {
  readonly refusedBy: readonly Driver[];
  /** Drivers that ignore the option, with a warning. */
  readonly ignoredBy?: readonly Driver[];
  readonly exception?: keyof typeof exceptions;
}

const { node, go, pymongo } = drivers;
export const accepted: Verdict = { refusedBy: [] };
export const ignoredByPymongo: Verdict = { refusedBy: [], ignoredBy: [pymongo] };
export const byNode: Verdict = { refusedBy: [node] };
export const byGo: Verdict = { refusedBy: [go] };
export const byPymongo: Verdict = { refusedBy: [pymongo] };
export const byNodeAndGo: Verdict = { refusedBy: [node, go] };
export const byNodeAndPymongo: Verdict = { refusedBy: [node, pymongo] };
export const byGoAndPymongo: Verdict = { refusedBy: [go, pymongo] };
export const byAll: Verdict = { refusedBy: [node, go, pymongo] };

/** Returns a verdict from which another degree follows. */
export function except(verdict: Verdict, exception: keyof typeof exceptions): Verdict {
  return { ...verdict, exception };
}

/** Returns a finding about what drivers refuse or ignore, which `what` names, such as `srvMaxHosts with replicaSet`. */
export function driverFinding(
  { refusedBy, ignoredBy = [], exception }: Verdict,
  { what, ...finding }: Omit<Finding, "degree" | "problem"> & { readonly what: string },
): Finding {
  const ofMany = refusedBy.length >= 2 ? "refused" : "warning";
  const degree = exception === undefined ? ofMany : exceptions[exception];
  if (degree === "refused") {
    const refusing = ofMany === "refused" ? "drivers refuse" : "the specification refuses";
    return { ...finding, degree, problem: `${refusing} ${what}` };
  }
  const [named, verb] = refusedBy.length > 0 ? [refusedBy, "refuse"] : [ignoredBy, "ignore"];
  const isAll = named.length === Object.keys(drivers).length;
  const names = isAll ? "drivers" : named.map(({ name }) => name).join(" and ");
  return {
    ...finding,
    degree,
    problem: `${names} ${verb}${named.length === 1 ? "s" : ""} ${what}`,
  };
}

/** Returns a finding as two sentences. */
export function sentencesOf({ problem, advice }: Finding): string {
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}. ${advice}`;
}
