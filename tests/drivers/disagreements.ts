/** What the rules of connection strings and the drivers say differently about a string. */
import { type Finding, diagnose } from "../../connection-strings/src";
import { drivers } from "../../connection-strings/src/rules/drivers";

export type DriverName = keyof typeof drivers;
export const driverNames = ["node", "go", "pymongo"] as const satisfies readonly DriverName[];

/** What a driver does with a string before it connects: why it refuses it, or the warning with which it ignores a part. */
export interface Verdict {
  readonly refused?: string | undefined;
  readonly ignored?: string | undefined;
}

/** The verdicts of each driver that was asked about a string. */
export type Verdicts = Readonly<Partial<Record<DriverName, Verdict>>>;

/** Returns why the rules are wrong about a string; undefined if the drivers agree with them. */
export function disagreement(string: string, verdicts: Verdicts): string | undefined {
  const findings = diagnose(string);
  const refusing = driverNames.filter((name) => verdicts[name]?.refused !== undefined);
  if (findings.length === 0 && refusing.length > 0)
    return `nothing found, but ${refusing.join()} refuses ${string}`;
  const refused = findings.filter(({ degree }) => degree === "refused");
  const isExcepted = refused.some(({ problem }) => problem.startsWith("the specification"));
  const isComplete = driverNames.every((name) => verdicts[name] !== undefined);
  if (isComplete && refused.length > 0 && !isExcepted && refusing.length < 2)
    return `refused, but accepted by two: ${string} ${JSON.stringify(refused)}`;
  const innocent = driverNames.find((name) => {
    const verdict = verdicts[name];
    const isAccused = findings.some((finding) => namesDriver(name, finding));
    return verdict !== undefined && Object.keys(verdict).length === 0 && isAccused;
  });
  return innocent && `${innocent} is named, but accepts ${string} ${JSON.stringify(findings)}`;
}

/** Returns whether a finding says that a driver refuses or ignores something. */
function namesDriver(name: DriverName, { problem }: Finding): boolean {
  return problem.includes(drivers[name].name) && / (?:refuse|ignore)s? /.test(problem);
}
