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

const modeManager = z.object({
  /** The name of the resource, or its URN if the plugin serves it. */
  resource: z.string(),
  /** The mode at adoption that its state has or will have; absent until `check` knows it. */
  enabledAtAdoption: z.nullish(z.boolean()),
  onDelete: z.optional(z.string()),
});

/** The resource that manages a mode in a run. */
export type ModeManager = z.output<typeof modeManager>;

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
  /** The folder of the user's marker files; undefined if nothing can be shared with other processes. */
  readonly #folder: string | undefined;
  /** The resource of this process that manages the mode of each project. */
  readonly #declared = new Map<string, ModeManager>();
  /** Whether a marker is missing that another process relies on. */
  #isMarkerMissing = false;

  constructor(identity: ProcessIdentity) {
    this.#identity = identity;
    this.#folder = identity.run === undefined ? undefined : orIfRefused(undefined, openFolder);
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
    this.#write(projectId, manager, true);
  }

  /**
   * Returns the other resource of this run that manages the mode of a project whose resource is being deleted;
   * `unknown` if the marker files of other processes cannot be read.
   */
  findOther(projectId: string): ModeManager | "none" | "unknown" {
    const declared = this.#declared.get(projectId);
    if (declared !== undefined) return declared;
    const marker = this.#markerOf(projectId);
    if (marker === undefined || this.#isMarkerMissing) return "unknown";
    return orIfRefused("unknown", () => {
      const text = readMarker(marker);
      if (text !== undefined) return managerIn(text);
      // If this process cannot write a marker, the others could not either.
      writeMarker(`${marker}.probe`, "");
      removeMarker(`${marker}.probe`);
      return "none";
    });
  }

  /** Removes the markers of this process, because a later run can have the same address. */
  close(): void {
    for (const projectId of this.#declared.keys()) {
      const marker = this.#markerOf(projectId);
      if (marker !== undefined) removeMarker(marker);
    }
  }

  /** Writes the marker of a project. If there is one already, replaces it or returns its resource. */
  #write(projectId: string, manager: ModeManager, replace = false): ModeManager | undefined {
    const marker = this.#markerOf(projectId);
    if (marker === undefined) return undefined;
    try {
      const text = writeMarker(marker, JSON.stringify(manager), replace);
      return text === undefined ? undefined : managerIn(text);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#isMarkerMissing = true;
      return undefined;
    }
  }

  #markerOf(projectId: string): string | undefined {
    const { run, service } = this.#identity;
    const hash = createHash("sha256").update(JSON.stringify([run, service, projectId]));
    return this.#folder === undefined ? undefined : join(this.#folder, hash.digest("hex"));
  }
}

/** Reads the text of a marker. Another content names an unknown resource. */
function managerIn(text: string): ModeManager {
  try {
    return modeManager.parse(JSON.parse(text));
  } catch {
    return { resource: text };
  }
}

/**
 * Opens or creates the user's folder in the temporary folder, and removes the markers that are too old. Returns
 * undefined if it is not private to the user, because anyone can create one there. Throws a system error if it is
 * unusable.
 */
function openFolder(): string | undefined {
  // In many containers, the user has an ID, but no name.
  const user = String(process.getuid?.() ?? userInfo().username).replace(/\W/g, "_");
  const folder = join(tmpdir(), `pulumi-clouddb-${user}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // The temporary folder itself is never created.
    if (!isSystemError(error) || error.code !== "EEXIST") throw error;
  }
  const status = lstatSync(folder);
  const isOwn = process.getuid === undefined || status.uid === process.getuid();
  const isPrivate = process.platform === "win32" || (status.mode & 0o077) === 0;
  if (!isOwn || !isPrivate || !status.isDirectory()) return undefined;
  for (const name of readdirSync(folder)) {
    const marker = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (marker !== undefined && isTooOld(marker)) removeMarker(join(folder, name));
  }
  return folder;
}

/** Writes a marker, at once with its text. If there is one already, replaces it or returns its text. */
function writeMarker(path: string, text: string, replace = false): string | undefined {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  try {
    if (replace) renameSync(draft, path);
    else linkSync(draft, path);
    return undefined;
  } catch (error) {
    if (!isSystemError(error) || error.code !== "EEXIST") throw error;
    return readMarker(path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Returns the text of a marker; undefined if there is none, or if it is too old. Throws a system error. */
function readMarker(path: string): string | undefined {
  try {
    return isTooOld(statSync(path)) ? undefined : readFileSync(path, "utf8");
  } catch (error) {
    if (isSystemError(error) && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Ignores failures. The only effect of a marker that stays is that a later delete keeps a setting. */
function removeMarker(path: string): void {
  orIfRefused(undefined, () => {
    rmSync(path, { force: true });
  });
}

/** A marker is valid for a day. Its age is limited because a later run can reuse the engine's address. */
function isTooOld({ mtimeMs }: Stats): boolean {
  return Date.now() - mtimeMs > 24 * 3600 * 1000;
}

/** Returns the result of work with files, or another value if the system refuses it. */
function orIfRefused<Result, Other>(other: Other, work: () => Result): Result | Other {
  try {
    return work();
  } catch (error) {
    if (isSystemError(error)) return other;
    throw error;
  }
}

function isSystemError(error: unknown): error is Error & { readonly code: unknown } {
  return error instanceof Error && "code" in error;
}
