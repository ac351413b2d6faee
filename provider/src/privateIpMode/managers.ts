/**
 * Finds out whether something else manages a project's mode. Deleting a resource must not restore a
 * setting that another resource needs: one of this stack, whose process may be another one (that of an
 * explicit provider), or one of another stack. The processes of a user share this information through
 * marker files (docs/internals/decisions/0012-who-manages-a-mode.md).
 */
import { createHash } from "node:crypto";
import {
  type Stats,
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
import { escapeText } from "../api/text";

export type OtherManager =
  | { readonly kind: "none" }
  /** `who` describes the other manager, for a message. */
  | { readonly kind: "found"; readonly who: string }
  /** The marker files of other processes cannot be written or read. */
  | { readonly kind: "unknown" };

/** Identifies the run and the service of this process. */
interface ProcessIdentity {
  /** The engine's address, which all processes of a run share; undefined without an engine. */
  readonly run: string | undefined;
  /** The root URL of the API that the projects belong to. */
  readonly service: string;
}

/** Knows what manages the modes of one service, in this process and in others. */
export class Managers {
  readonly #identity: ProcessIdentity;
  /** Undefined if nothing can be shared with other processes. */
  readonly #markers: MarkerFolder | undefined;
  /** The projects that a resource of this process manages. */
  readonly #declared = new Set<string>();
  /** Whether a marker is missing that this process or another one relies on. */
  #isMarkerMissing = false;

  /** Opens the folder that the processes of the user share. Without an engine, nothing is shared. */
  constructor(identity: ProcessIdentity) {
    this.#identity = identity;
    this.#markers = identity.run === undefined ? undefined : MarkerFolder.open();
  }

  /** Records that a resource of this run manages the mode of a project. */
  declare(projectId: string): void {
    if (!this.#declared.has(projectId)) this.#write(this.#runMarker(projectId), "");
    this.#declared.add(projectId);
  }

  /** Records, for other stacks, that this stack manages the mode of a project. */
  record(projectId: string, stack = ""): void {
    this.#write(this.#stackMarker(projectId, stack), stack);
  }

  /** Records that the stack no longer manages the mode, unless another resource of this run may. */
  release(projectId: string, stack = ""): void {
    if (this.#declared.has(projectId) || this.#markers === undefined) return;
    try {
      const isDeclared = this.#markers.read(this.#runMarker(projectId)) !== undefined;
      if (!isDeclared) this.#markers.remove(this.#stackMarker(projectId, stack));
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }

  /**
   * Returns what else manages the mode of a project whose resource is being deleted. If the state of the
   * resource does not say which stack it belongs to, every stack counts as another one.
   */
  findOther(projectId: string, stack: string | undefined): OtherManager {
    if (this.#declared.has(projectId)) return { kind: "found", who: otherResource };
    if (this.#markers === undefined || this.#isMarkerMissing) return { kind: "unknown" };
    try {
      return this.#findMarker(this.#markers, projectId, stack);
    } catch (error) {
      if (isSystemError(error)) return { kind: "unknown" };
      throw error;
    }
  }

  #findMarker(markers: MarkerFolder, projectId: string, stack: string | undefined): OtherManager {
    const runMarker = this.#runMarker(projectId);
    if (markers.read(runMarker) !== undefined) return { kind: "found", who: otherResource };
    // If this process cannot write a marker, the others could not either.
    const probe = `${runMarker}.${process.pid}`;
    markers.write(probe, probe);
    markers.remove(probe);
    const own = stack === undefined ? undefined : this.#stackMarker(projectId, stack);
    for (const name of markers.names(this.#prefix(projectId))) {
      const text = name === own ? undefined : markers.read(name);
      // A marker without text was written by an unknown stack, or was not written completely.
      if (text === "") return { kind: "unknown" };
      if (text === undefined) continue;
      const who = `the stack ${escapeText(text, 200)} managed it within the last day`;
      return { kind: "found", who: stack === undefined ? `${who}, and ${unknownStack}` : who };
    }
    return { kind: "none" };
  }

  #write(name: string, text: string): void {
    try {
      this.#markers?.write(name, text);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#isMarkerMissing = true;
    }
  }

  #runMarker(projectId: string): string {
    return hash(["run", this.#identity.run, this.#identity.service, projectId]);
  }

  #stackMarker(projectId: string, stack: string): string {
    return `${this.#prefix(projectId)}${hash([stack])}`;
  }

  /** Returns the common prefix of the names of all stacks' markers for a project. */
  #prefix(projectId: string): string {
    return `${hash(["held", this.#identity.service, projectId])}.`;
  }
}

const otherResource = "another resource of this stack manages it now";
const unknownStack = "the state of this resource does not say whether it belongs to that stack";

/** The private folder of the user's marker files, whose names are hashes. Methods throw system errors. */
class MarkerFolder {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /**
   * Opens or creates the folder in the temporary folder, and removes the markers that are too old.
   * Returns undefined if the folder cannot be created or is not private to the user.
   */
  static open(): MarkerFolder | undefined {
    const path = join(tmpdir(), `pulumi-clouddb-${userName()}`);
    try {
      if (!isPrivateFolder(path)) return undefined;
      const folder = new MarkerFolder(path);
      for (const name of folder.names("")) {
        const status = lstatSync(join(path, name), { throwIfNoEntry: false });
        if (status !== undefined && isTooOld(status)) folder.remove(name);
      }
      return folder;
    } catch (error) {
      if (isSystemError(error)) return undefined;
      throw error;
    }
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.#path, name), text);
  }

  /** Ignores failures: the only effect of a marker that stays is that a later delete keeps a setting. */
  remove(name: string): void {
    try {
      rmSync(join(this.#path, name), { force: true });
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }

  names(prefix: string): string[] {
    return readdirSync(this.#path).filter((name) => name.startsWith(prefix));
  }

  /** Returns the text of a marker; undefined if there is none, or if it is too old. */
  read(name: string): string | undefined {
    try {
      const path = join(this.#path, name);
      return isTooOld(statSync(path)) ? undefined : readFileSync(path, "utf8");
    } catch (error) {
      if (isSystemError(error) && error.code === "ENOENT") return undefined;
      throw error;
    }
  }
}

/** A marker is valid for a day. Its age is limited because a later run can reuse the engine's address. */
function isTooOld({ mtimeMs }: Stats): boolean {
  return Date.now() - mtimeMs > 24 * 3600 * 1000;
}

function isSystemError(error: unknown): error is Error & { readonly code: unknown } {
  return error instanceof Error && "code" in error;
}

function hash(key: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(key)).digest("hex");
}

/** Returns the numeric user ID if there is one: in many containers, the user has no name. */
function userName(): string {
  try {
    return String(process.getuid?.() ?? userInfo().username).replace(/\W/g, "_");
  } catch {
    return "unknown";
  }
}

/** Returns whether the folder is private to this user: anyone can create one in the temporary folder. */
function isPrivateFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // The temporary folder itself is never created.
    if (!isSystemError(error) || error.code !== "EEXIST") throw error;
  }
  const status = lstatSync(folder);
  const isOwn = process.getuid === undefined || status.uid === process.getuid();
  const isPrivate = process.platform === "win32" || (status.mode & 0o077) === 0;
  return isOwn && isPrivate && status.isDirectory();
}
