/**
 * The private folder through which the provider processes of a user share notes: small files whose name
 * is a hash, and whose age matters (docs/decisions/0012-restore-only-alone.md).
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

/** The maximum age of a note, in milliseconds: one day. */
const maxNoteAge = 24 * 3600 * 1000;

/** The notes in the user's folder. */
export class NoteFolder {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /**
   * Opens the user's folder in the temporary folder, and removes the notes that are too old.
   *
   * @returns undefined if the folder cannot be created or is not private to the user
   */
  static open(): NoteFolder | undefined {
    const path = join(tmpdir(), `pulumi-clouddb-${userName()}`);
    try {
      if (!isPrivateFolder(path)) return undefined;
      const folder = new NoteFolder(path);
      for (const name of readdirSync(path)) {
        if (folder.isYounger(name, maxNoteAge) === false) folder.remove(name);
      }
      return folder;
    } catch (error) {
      if (isSystemError(error)) return undefined;
      throw error;
    }
  }

  /**
   * Writes a note, or renews it.
   *
   * @param name the name of the note
   * @param text the content
   * @returns false if the note cannot be written
   */
  write(name: string, text: string): boolean {
    try {
      writeFileSync(join(this.#path, name), text);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Removes a note. Ignores failures: the only effect of a stale note is that a later delete keeps a
   * setting.
   *
   * @param name the name of the note
   */
  remove(name: string): void {
    try {
      rmSync(join(this.#path, name), { force: true });
    } catch {
      return;
    }
  }

  /**
   * Returns whether a note exists and was written recently.
   *
   * @param name the name of the note
   * @param age the age in milliseconds
   * @returns true if the note is younger than `age`; undefined if its age cannot be read
   */
  isYounger(name: string, age: number): boolean | undefined {
    const modified = readUnlessMissing(() => statSync(join(this.#path, name)).mtimeMs);
    if (modified.kind === "unreadable") return undefined;
    return modified.kind === "read" && Date.now() - modified.value < age;
  }

  /**
   * Reads the notes of other programs. Skips a note that is removed in the meantime.
   *
   * @param prefix the prefix of the names
   * @param own the name of the note to ignore
   * @returns the texts of the notes; undefined if the folder or one of the notes cannot be read
   */
  readOthers(prefix: string, own: string): readonly string[] | undefined {
    const names = readUnlessMissing(() => readdirSync(this.#path));
    if (names.kind !== "read") return undefined;
    const texts: string[] = [];
    for (const name of names.value) {
      if (!name.startsWith(prefix) || name === own) continue;
      if (this.isYounger(name, maxNoteAge) === false) continue;
      const text = readUnlessMissing(() => readFileSync(join(this.#path, name), "utf8"));
      if (text.kind === "unreadable") return undefined;
      if (text.kind === "read") texts.push(text.value);
    }
    return texts;
  }
}

type FileContent<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable" };

/** Reads a file or folder, and distinguishes a missing one from one that cannot be read. */
function readUnlessMissing<T>(read: () => T): FileContent<T> {
  try {
    return { kind: "read", value: read() };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { kind: error.code === "ENOENT" ? "missing" : "unreadable" };
  }
}

function isSystemError(error: unknown): error is Error & { readonly code: unknown } {
  return error instanceof Error && "code" in error;
}

/**
 * Returns the name of a note, which does not reveal the subject of the note.
 *
 * @param key the subject of the note
 * @returns a hash of the key
 */
export function noteName(key: readonly unknown[]): string {
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
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const status = lstatSync(folder);
  const isOwn = process.getuid === undefined || status.uid === process.getuid();
  const isPrivate = process.platform === "win32" || (status.mode & 0o077) === 0;
  return isOwn && isPrivate && status.isDirectory();
}
