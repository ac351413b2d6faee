/**
 * The projects whose mode a resource holds. A resource that is deleted must not restore a setting
 * that another one holds now, and the two may be served by two processes: by the default provider and
 * an explicit one, or by the runs of two programs. Processes leave each other notes in a folder of the
 * user's own (docs/decisions/0012-restore-only-alone.md).
 */
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { escapeText } from "../api/escapeText";
import { engineAddress } from "../engine/engineContact";

/** Whether somebody else holds a project's mode, and who. */
export type Holding =
  | { readonly kind: "free" }
  | { readonly kind: "held"; readonly by: string }
  /** Other processes cannot be asked. */
  | { readonly kind: "unknown" };

export interface HeldProjects {
  /** Notes that the program of this run holds the mode of a project. */
  declare(projectId: string): void;
  /** Notes that this run set or adopted the mode, for the programs of other stacks. */
  hold(projectId: string): void;
  /** Notes that a resource of this program gave the project up. */
  release(projectId: string): void;
  /** Returns who else holds the mode of a project that a resource is about to give up. */
  look(projectId: string): Holding;
}

/** Who leaves notes, and where. */
export interface NoteSettings {
  /** The API that the projects belong to. */
  readonly service: string;
  /** The engine's address, the same for all processes of a run. Default: this process's. */
  readonly run?: string | undefined;
  /** Name of the Pulumi project. Default: this process's. */
  readonly program?: string | undefined;
  /** Default: a folder in the temporary folder. */
  readonly folder?: string | undefined;
}

/** How long notes count, in milliseconds: of a run, whose address a later one may get, and of a program. */
const runNoteLife = 6 * 3600 * 1000;
const programNoteLife = 24 * 3600 * 1000;

/** Keeps notes for one service. Without a folder of the user's own, or an engine, nothing is shared. */
export function heldProjects({
  service,
  run = engineAddress(),
  program = process.env["PULUMI_NODEJS_PROJECT"],
  folder = join(tmpdir(), `pulumi-clouddb-${userName()}`),
}: NoteSettings): HeldProjects {
  const declared = new Set<string>();
  const runNote = (projectId: string) => join(folder, hash(["run", run, service, projectId]));
  const prefix = (projectId: string) => `${hash(["held", service, projectId])}.`;
  const ownNote = (projectId: string) => join(folder, `${prefix(projectId)}${hash([program])}`);
  const isShared = run !== undefined && isUsable(folder);
  if (isShared) removeOldNotes(folder);
  const isDeclared = (projectId: string) =>
    declared.has(projectId) || (isShared && isYounger(runNote(projectId), runNoteLife));

  return {
    declare(projectId) {
      if (!declared.has(projectId) && isShared) leaveNote(runNote(projectId), "");
      declared.add(projectId);
    },
    hold(projectId) {
      if (program !== undefined && isShared) leaveNote(ownNote(projectId), program);
    },
    release(projectId) {
      // Another resource of this stack holds the project on.
      if (isDeclared(projectId)) return;
      if (program !== undefined && isShared) removeNote(ownNote(projectId));
    },
    look(projectId) {
      if (isDeclared(projectId)) {
        return { kind: "held", by: "another resource of this stack holds it now" };
      }
      // Where this process cannot leave a note, the others could not either.
      const probe = `${runNote(projectId)}.${process.pid}`;
      if (!isShared || !leaveNote(probe, "")) return { kind: "unknown" };
      removeNote(probe);
      const other = otherNote(folder, prefix(projectId), ownNote(projectId));
      if (other === undefined) return { kind: "free" };
      const name = escapeText(other, 100);
      return {
        kind: "held",
        by: `the Pulumi project ${name} set or adopted it within the last day`,
      };
    },
  };
}

/** A user that only has a number, as in many containers, is named by it. */
function userName(): string {
  try {
    return String(process.getuid?.() ?? userInfo().username).replace(/\W/g, "_");
  } catch {
    return "unknown";
  }
}

function hash(key: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(key)).digest("hex");
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

/** Returns false when the disk does not take the note. */
function leaveNote(file: string, text: string): boolean {
  try {
    writeFileSync(file, text);
    return true;
  } catch {
    return false;
  }
}

/** A note that cannot be removed only makes a later delete keep a setting. */
function removeNote(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    return;
  }
}

function removeOldNotes(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (!isYounger(file, programNoteLife)) removeNote(file);
  }
}

/** The text of another program's note; another process may remove notes meanwhile. */
function otherNote(folder: string, prefix: string, own: string): string | undefined {
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
  const files = names.map((name) => join(folder, name));
  const other = files.find((file) => file !== own && isYounger(file, programNoteLife));
  if (other === undefined) return undefined;
  try {
    return readFileSync(other, "utf8");
  } catch {
    return undefined;
  }
}

function isYounger(file: string, life: number): boolean {
  const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return modified !== undefined && Date.now() - modified < life;
}
