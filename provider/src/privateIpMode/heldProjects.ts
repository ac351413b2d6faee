/**
 * Tracks the projects whose mode is managed by a resource. Deleting a resource must not restore a
 * setting that another resource manages now. Two processes can serve the two resources: those of the
 * default provider and an explicit one, or those of two programs. The processes share this information
 * through files, called notes, in a private folder of the user
 * (docs/decisions/0012-restore-only-alone.md).
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
import { engineAddress } from "../providerProcess/engineContact";

/** Whether another resource or program holds a project's mode, and which one. */
export type Holding =
  | { readonly kind: "free" }
  | { readonly kind: "held"; readonly by: string }
  /** The notes of other processes cannot be read. */
  | { readonly kind: "unknown" };

export interface HeldProjects {
  /** Records that the program of this run holds the mode of a project. */
  declare(projectId: string): void;
  /** Records, for the programs of other stacks, that this run set or adopted the mode. */
  hold(projectId: string): void;
  /** Records that a resource of this program no longer holds the project. */
  release(projectId: string): void;
  /** Returns whether anything else holds the mode of a project that a resource is about to release. */
  look(projectId: string): Holding;
}

/** Identifies the process that writes notes, and the folder for them. */
export interface NoteSettings {
  /** Root URL of the API that the projects belong to. */
  readonly service: string;
  /** The engine's address, which all processes of a run share. Default: that of this process. */
  readonly run?: string | undefined;
  /** Name of the Pulumi project. Default: that of this process. */
  readonly program?: string | undefined;
  /** Default: a folder in the temporary folder. */
  readonly folder?: string | undefined;
}

/** Lifetime of the notes of a run, in milliseconds. A later run can reuse the engine's address. */
const runNoteLife = 6 * 3600 * 1000;
/** Lifetime of the notes of a program, in milliseconds. */
const programNoteLife = 24 * 3600 * 1000;

/** Tracks the projects of one service. Shares nothing without a private folder or an engine. */
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
      // Another resource of this stack still holds the project.
      if (isDeclared(projectId)) return;
      if (program !== undefined && isShared) removeNote(ownNote(projectId));
    },
    look(projectId) {
      if (isDeclared(projectId)) {
        return { kind: "held", by: "another resource of this stack holds it now" };
      }
      // If this process cannot write a note, the other processes could not either.
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

/** Returns the numeric user ID if there is one: in many containers, the user has no name. */
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

/** Checks that the folder is private to this user: anyone can create one in the temporary folder. */
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

/** Returns false if the note cannot be written. */
function leaveNote(file: string, text: string): boolean {
  try {
    writeFileSync(file, text);
    return true;
  } catch {
    return false;
  }
}

/** Ignores failures: the only effect of a stale note is that a later delete keeps a setting. */
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

/** Returns the text of another program's note. Another process may remove notes in the meantime. */
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
