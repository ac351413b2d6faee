/**
 * Removes stale locks of stacks. Backends other than Pulumi Cloud lock a stack with a file that names the
 * process. An engine that is killed leaves its lock behind.
 */
import { hostname } from "node:os";
import type { Stack } from "@pulumi/pulumi/automation";
import type { Fleet } from "./stackList";

interface Lock {
  readonly host: string;
  readonly pid: number;
  readonly createdAt: Date;
}

/** The settings that decide which locks are stale. By default, none is. */
export type LockSettings = Pick<Fleet, "uniqueHostNames" | "staleLockMinutes">;

/**
 * Removes the locks of a stack if all of them are stale: their process was on this machine and no longer
 * exists, or they are older than any update takes.
 *
 * @param refusal the error of the refused operation, whose message names the locks
 * @returns undefined if the locks were removed; otherwise a description of the process that holds one
 */
export async function removeStaleLock(
  stack: Pick<Stack, "name" | "cancel">,
  refusal: Error,
  settings: LockSettings,
): Promise<string | undefined> {
  const locks = locksIn(refusal.message);
  const held = locks.find((lock) => !isStale(lock, settings));
  if (held !== undefined) return describe(held, stack.name);
  if (locks.length === 0) return `an unknown process (${refusal.message})`;
  await stack.cancel();
  return undefined;
}

const lockLine = /created by [^@\s]*@(?<host>\S+) \(pid (?<pid>\d+)\) at (?<createdAt>\S+)/g;

function locksIn(message: string): Lock[] {
  return [...message.matchAll(lockLine)].map(({ groups }) => ({
    host: groups?.["host"] ?? "",
    pid: Number(groups?.["pid"]),
    createdAt: new Date(groups?.["createdAt"] ?? ""),
  }));
}

function isStale(
  { host, pid, createdAt }: Lock,
  { uniqueHostNames, staleLockMinutes = Infinity }: LockSettings,
): boolean {
  // Runners of continuous integration and containers often share a name: another one may have the process.
  if (uniqueHostNames && host === hostname()) return !exists(pid);
  return Date.now() - createdAt.getTime() > staleLockMinutes * 60_000;
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

function describe({ host, pid, createdAt }: Lock, stack: string): string {
  const since = Number.isNaN(createdAt.getTime()) ? "" : ` since ${createdAt.toISOString()}`;
  return (
    `process ${pid} on ${host}${since}. Wait until it has ended; ` +
    `if it was killed, run pulumi cancel --stack ${stack}`
  );
}
