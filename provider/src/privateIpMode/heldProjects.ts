/**
 * The projects whose mode a resource holds in this run of the engine. A resource that is deleted must
 * not restore a setting that another one holds now, and the two may be served by two processes: the
 * stack's default provider and an explicit one. All processes of a run are given the same address of
 * the engine, under which they leave each other notes (docs/decisions/0012-restore-only-alone.md).
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { engineAddress } from "../engine/engineContact";

/** `unknown` when other processes of the run cannot be asked. */
export type Holding = "held" | "free" | "unknown";

export interface HeldProjects {
  /** Notes that a resource of this run holds the mode of a project. */
  hold(projectId: string): void;
  /** Returns whether a resource of this run holds the mode of a project. */
  look(projectId: string): Holding;
}

/** Notes are of no use to a later run, which has another address; they are removed after a day. */
const longestRun = 24 * 3600 * 1000;

/**
 * @param service the API that the projects belong to
 * @param run the engine's address; undefined when there is no engine
 * @param folder where the notes are
 */
export function heldProjects(
  service: string,
  run: string | undefined = engineAddress(),
  folder: string = notesFolder(),
): HeldProjects {
  const held = new Set<string>();
  const noteOf = (projectId: string) => {
    const key = JSON.stringify([run, service, projectId]);
    return join(folder, createHash("sha256").update(key).digest("hex"));
  };
  return {
    hold(projectId) {
      if (held.has(projectId)) return;
      held.add(projectId);
      if (run !== undefined && isUsable(folder)) leaveNote(folder, noteOf(projectId));
    },
    look(projectId) {
      if (held.has(projectId)) return "held";
      if (run === undefined || !isUsable(folder)) return "unknown";
      if (isRecent(noteOf(projectId))) return "held";
      // Where this process cannot leave a note, the other one could not either.
      const probe = `${noteOf(projectId)}.${process.pid}`;
      const isWritable = leaveNote(folder, probe);
      rmSync(probe, { force: true });
      return isWritable ? "free" : "unknown";
    },
  };
}

function notesFolder(): string {
  return join(tmpdir(), `pulumi-clouddb-${userInfo().username.replace(/\W/g, "_")}`);
}

/** The folder must be this user's own: anybody can make one in the temporary folder. */
function isUsable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    const isOwn = process.getuid === undefined || uid === process.getuid();
    const isPrivate = process.platform === "win32" || (mode & 0o077) === 0;
    return isOwn && isPrivate && lstatSync(folder).isDirectory();
  } catch {
    return false;
  }
}

/** Returns false when the disk does not take it. */
function leaveNote(folder: string, file: string): boolean {
  try {
    removeOldNotes(folder);
    writeFileSync(file, "-");
    return true;
  } catch {
    return false;
  }
}

function isRecent(file: string): boolean {
  const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return modified !== undefined && Date.now() - modified < longestRun;
}

function removeOldNotes(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (!isRecent(file)) rmSync(file, { force: true });
  }
}
