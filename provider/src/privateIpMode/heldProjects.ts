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

/** Notes are removed after a day, in milliseconds. */
const longestLife = 24 * 3600 * 1000;

export function heldProjects({
  service,
  run = engineAddress(),
  program = process.env["PULUMI_NODEJS_PROJECT"],
  folder = join(tmpdir(), `pulumi-clouddb-${userInfo().username.replace(/\W/g, "_")}`),
}: NoteSettings): HeldProjects {
  const declared = new Set<string>();
  const runNote = (projectId: string) => join(folder, hash(["run", run, service, projectId]));
  const prefix = (projectId: string) => `${hash(["held", service, projectId])}.`;
  const ownNote = (projectId: string) => join(folder, `${prefix(projectId)}${hash([program])}`);
  const isShared = () => run !== undefined && isUsable(folder);

  return {
    declare(projectId) {
      if (!declared.has(projectId) && isShared()) leaveNote(folder, runNote(projectId), "");
      declared.add(projectId);
    },
    hold(projectId) {
      if (program !== undefined && isShared()) leaveNote(folder, ownNote(projectId), program);
    },
    release(projectId) {
      if (program !== undefined && isShared()) rmSync(ownNote(projectId), { force: true });
    },
    look(projectId) {
      const sameStack = {
        kind: "held",
        by: "another resource of this stack holds it now",
      } as const;
      if (declared.has(projectId)) return sameStack;
      // Where this process cannot leave a note, the others could not either.
      const probe = `${runNote(projectId)}.${process.pid}`;
      const canAsk = isShared() && leaveNote(folder, probe, "");
      if (!canAsk) return { kind: "unknown" };
      rmSync(probe, { force: true });
      if (isRecent(runNote(projectId))) return sameStack;
      const other = recentNotes(folder, prefix(projectId)).find(
        (file) => file !== ownNote(projectId),
      );
      if (other === undefined) return { kind: "free" };
      const name = escapeText(readFileSync(other, "utf8"), 100);
      return {
        kind: "held",
        by: `the Pulumi project ${name} set or adopted it within the last day`,
      };
    },
  };
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
function leaveNote(folder: string, file: string, text: string): boolean {
  try {
    for (const name of readdirSync(folder)) {
      if (!isRecent(join(folder, name))) rmSync(join(folder, name), { force: true });
    }
    writeFileSync(file, text);
    return true;
  } catch {
    return false;
  }
}

function recentNotes(folder: string, prefix: string): string[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
  return names.map((name) => join(folder, name)).filter(isRecent);
}

function isRecent(file: string): boolean {
  const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return modified !== undefined && Date.now() - modified < longestLife;
}
