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
export const maxNoteAge = 24 * 3600 * 1000;

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
    if (!isUsable(path)) return undefined;
    const folder = new NoteFolder(path);
    for (const name of readdirSync(path)) {
      if (!folder.isYounger(name, maxNoteAge)) folder.remove(name);
    }
    return folder;
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
   * @returns true if the note is younger than `age`
   */
  isYounger(name: string, age: number): boolean {
    const modified = statSync(join(this.#path, name), { throwIfNoEntry: false })?.mtimeMs;
    return modified !== undefined && Date.now() - modified < age;
  }

  /**
   * Finds another process's note.
   *
   * @param prefix the prefix of the name
   * @param own the name of the note to ignore
   * @returns the text of the note; undefined if there is none, or if it is removed in the meantime
   */
  readOther(prefix: string, own: string): string | undefined {
    const other = readdirSync(this.#path).find(
      (name) => name.startsWith(prefix) && name !== own && this.isYounger(name, maxNoteAge),
    );
    if (other === undefined) return undefined;
    try {
      return readFileSync(join(this.#path, other), "utf8");
    } catch {
      return undefined;
    }
  }
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
