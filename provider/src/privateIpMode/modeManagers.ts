/**
 * Finds out whether another resource of the same run manages a project's mode. The two would undo each other's
 * changes, and deleting one must not restore a setting that the other one needs. Two processes may serve them,
 * those of the default provider and of an explicit one, which share what they know through marker files
 * (docs/internals/decisions/0012-who-manages-a-mode.md).
 */
import { createHash } from "node:crypto";
import {
  type Stats,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import * as z from "../messages/zod";

/** The resource that manages a mode in a run. */
export interface ModeManager {
  /** Its name, or its URN if the plugin serves it. */
  readonly resource: string;
  /** The mode at adoption that its state has or will have; absent until `check` knows it. */
  readonly enabledAtAdoption?: boolean | null | undefined;
  readonly onDelete?: string | undefined;
}

const modeManager = z.object({
  resource: z.string(),
  enabledAtAdoption: z.nullish(z.boolean()),
  onDelete: z.optional(z.string()),
});

/** Identifies the run and the service of this process. */
interface ProcessIdentity {
  /** The engine's address, which all processes of a run share; undefined without an engine. */
  readonly run: string | undefined;
  /** The root URL of the API that the projects belong to. */
  readonly service: string;
}

/** Knows which resources of a run manage the modes of one service, in this process and in others. */
export class ModeManagers {
  readonly #identity: ProcessIdentity;
  /** Undefined if nothing can be shared with other processes. */
  readonly #markers: MarkerFolder | undefined;
  /** The resource of this process that manages the mode of each project. */
  readonly #declared = new Map<string, ModeManager>();
  /** Whether a marker is missing that another process relies on. */
  #isMarkerMissing = false;

  /** Opens the folder that the processes of the user share. Without an engine, nothing is shared. */
  constructor(identity: ProcessIdentity) {
    this.#identity = identity;
    this.#markers = identity.run === undefined ? undefined : MarkerFolder.open();
  }

  /**
   * Records that a resource of this run manages the mode of a project. Returns the resource that already does,
   * unless it is the same one.
   */
  declare(projectId: string, resource: string): string | undefined {
    const known = this.#declared.get(projectId);
    const first = known ?? this.#write(projectId, { resource }) ?? { resource };
    if (first.resource !== resource) return first.resource;
    this.#declared.set(projectId, first);
    return undefined;
  }

  /** Adds what `check` found out about a declared resource. */
  describe(projectId: string, manager: ModeManager): void {
    this.#declared.set(projectId, manager);
    this.#write(projectId, manager, { replace: true });
  }

  /**
   * Returns the other resource of this run that manages the mode of a project whose resource is being deleted;
   * `unknown` if the marker files of other processes cannot be read.
   */
  findOther(projectId: string): ModeManager | "none" | "unknown" {
    const declared = this.#declared.get(projectId);
    if (declared !== undefined) return declared;
    if (this.#markers === undefined || this.#isMarkerMissing) return "unknown";
    try {
      const name = this.#markerName(projectId);
      const text = this.#markers.read(name);
      if (text !== undefined) return managerIn(text);
      // If this process cannot write a marker, the others could not either.
      const probe = `${name}.probe`;
      this.#markers.write(probe, "");
      this.#markers.remove(probe);
      return "none";
    } catch (error) {
      if (isSystemError(error)) return "unknown";
      throw error;
    }
  }

  /** Removes the markers of this process, because a later run can have the same address. */
  close(): void {
    for (const projectId of this.#declared.keys()) {
      this.#markers?.remove(this.#markerName(projectId));
    }
  }

  /** Writes the marker of a project. If there is one already, which it does not replace, returns its resource. */
  #write(
    projectId: string,
    manager: ModeManager,
    options?: { readonly replace: boolean },
  ): ModeManager | undefined {
    try {
      const name = this.#markerName(projectId);
      const text = this.#markers?.write(name, JSON.stringify(manager), options);
      return text === undefined ? undefined : managerIn(text);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#isMarkerMissing = true;
      return undefined;
    }
  }

  #markerName(projectId: string): string {
    const { run, service } = this.#identity;
    return createHash("sha256")
      .update(JSON.stringify([run, service, projectId]))
      .digest("hex");
  }
}

/** Reads a marker. One with another content names an unknown resource. */
function managerIn(text: string): ModeManager {
  try {
    return modeManager.parse(JSON.parse(text));
  } catch {
    return { resource: text };
  }
}

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
      for (const name of readdirSync(path)) {
        const status = lstatSync(join(path, name), { throwIfNoEntry: false });
        if (status !== undefined && isTooOld(status)) folder.remove(name);
      }
      return folder;
    } catch (error) {
      if (isSystemError(error)) return undefined;
      throw error;
    }
  }

  /** Writes a marker, at once with its text. If there is one already, replaces it or returns its text. */
  write(name: string, text: string, { replace = false } = {}): string | undefined {
    const path = join(this.#path, name);
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, text);
    try {
      if (replace) renameSync(draft, path);
      else linkSync(draft, path);
      return undefined;
    } catch (error) {
      if (!isSystemError(error) || error.code !== "EEXIST") throw error;
      return this.read(name);
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /** Ignores failures: the only effect of a marker that stays is that a later delete keeps a setting. */
  remove(name: string): void {
    try {
      rmSync(join(this.#path, name), { force: true });
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
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
