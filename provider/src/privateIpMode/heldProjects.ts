/**
 * Tracks the projects whose mode is managed by a resource. Deleting a resource must not restore a
 * setting that another resource manages now. Two processes can serve the two resources: those of the
 * default provider and an explicit one, or those of two programs. The processes share this information
 * through notes (docs/decisions/0012-restore-only-alone.md).
 */
import { escapeText } from "../api/text";
import { NoteFolder, noteName } from "./noteFolder";

/** Whether another resource or program holds a project's mode, and which one. */
export type Holding =
  /** Nothing else holds it. */
  | { readonly kind: "free" }
  /** `by` names the holder, for a message. */
  | { readonly kind: "held"; readonly by: string }
  /** The notes of other processes cannot be read. */
  | { readonly kind: "unknown" };

/**
 * The maximum age of a note about one run of the engine, in milliseconds. It is limited because a later
 * run can reuse the engine's address.
 */
const maxRunNoteAge = 6 * 3600 * 1000;

/** Identifies the run, the program and the service of this process. */
interface Holder {
  /** The engine's address, which all processes of a run share; undefined without an engine. */
  readonly run: string | undefined;
  /** The name of the Pulumi project; undefined if it is not known. */
  readonly program: string | undefined;
  /** The root URL of the API that the projects belong to. */
  readonly service: string;
}

/** The projects of one service that the resources of this process and of others hold. */
export class HeldProjects {
  readonly #holder: Holder;
  /** Where the notes are; undefined if nothing can be shared with other processes. */
  readonly #notes: NoteFolder | undefined;
  /** The projects that this process has declared. */
  readonly #declared = new Set<string>();

  /**
   * Creates the projects, none of which is declared yet.
   *
   * @param holder the run, the program and the service of this process
   * @param notes the notes of all processes; undefined if they cannot be shared
   */
  constructor(holder: Holder, notes: NoteFolder | undefined) {
    this.#holder = holder;
    this.#notes = notes;
  }

  /**
   * Records that a resource of this run holds the mode of a project.
   *
   * @param projectId the project
   */
  declare(projectId: string): void {
    if (!this.#declared.has(projectId)) this.#notes?.write(this.#runNote(projectId), "");
    this.#declared.add(projectId);
  }

  /**
   * Records, for the programs of other stacks, that this program set or adopted the mode of a project.
   *
   * @param projectId the project
   */
  hold(projectId: string): void {
    const { program } = this.#holder;
    if (program !== undefined) this.#notes?.write(this.#programNote(projectId), program);
  }

  /**
   * Records that a deleted resource no longer holds the mode of a project. Does nothing if another
   * resource of this run still holds it, or may hold it.
   *
   * @param projectId the project
   */
  release(projectId: string): void {
    if (this.#isDeclared(projectId) !== false) return;
    if (this.#holder.program !== undefined) this.#notes?.remove(this.#programNote(projectId));
  }

  /**
   * Returns whether anything else holds the mode of a project whose resource is being deleted.
   *
   * @param projectId the project
   * @returns the holder, if any; `unknown` if the notes of other processes cannot be read
   */
  findHolder(projectId: string): Holding {
    const isDeclared = this.#isDeclared(projectId);
    if (isDeclared === true) {
      return { kind: "held", by: "another resource of this stack manages it now" };
    }
    if (
      isDeclared === undefined ||
      this.#notes === undefined ||
      !this.#canWrite(this.#notes, projectId)
    ) {
      return { kind: "unknown" };
    }
    const others = this.#notes.readOthers(this.#prefix(projectId), this.#programNote(projectId));
    if (others === undefined) return { kind: "unknown" };
    const [other] = others;
    if (other === undefined) return { kind: "free" };
    return {
      kind: "held",
      by: `the Pulumi project ${escapeText(other, 100)} set or adopted it within the last day`,
    };
  }

  /** Returns undefined if the notes of other processes cannot be read. */
  #isDeclared(projectId: string): boolean | undefined {
    if (this.#declared.has(projectId)) return true;
    if (this.#notes === undefined) return false;
    return this.#notes.isYounger(this.#runNote(projectId), maxRunNoteAge);
  }

  /** If this process cannot write a note, the other processes could not either. */
  #canWrite(notes: NoteFolder, projectId: string): boolean {
    const probe = `${this.#runNote(projectId)}.${process.pid}`;
    const isWritten = notes.write(probe, "");
    if (isWritten) notes.remove(probe);
    return isWritten;
  }

  #runNote(projectId: string): string {
    return noteName(["run", this.#holder.run, this.#holder.service, projectId]);
  }

  #programNote(projectId: string): string {
    return `${this.#prefix(projectId)}${noteName([this.#holder.program])}`;
  }

  /** Returns the common prefix of the names of all programs' notes about a project. */
  #prefix(projectId: string): string {
    return `${noteName(["held", this.#holder.service, projectId])}.`;
  }
}

/**
 * Tracks the projects of one service in this process. Without an engine or a private folder, nothing is
 * shared with other processes.
 *
 * @param holder the run, the program and the service of this process
 * @returns the tracked projects, none of which this process has declared yet
 */
export function heldProjects(holder: Holder): HeldProjects {
  const notes = holder.run === undefined ? undefined : NoteFolder.open();
  return new HeldProjects(holder, notes);
}
