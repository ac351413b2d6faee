/** Finds where a program declares a resource. Where to look comes from outside: only files of the project are read. */
import { readdirSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { readFile } from "./files";
import { type Position, type ResourceName, label } from "./input";

/** The limit of a source file, in bytes. */
const sourceLimit = 1024 * 1024;

/** `new Type("name"`, in any language that calls a constructor like this. */
const declaration = /\b(\w+)\(\s*["'`]([^"'`\n]*)["'`]/g;

/** The places of declarations, by type and name; undefined if there are several. */
type Places = ReadonlyMap<string, Position | undefined>;

/**
 * Creates a function that finds a declaration in the file of the last update, or else in the files of the
 * project's folder. It returns nothing unless exactly one place has it. Each file is read once.
 */
export function createLocator(folder: string) {
  const known = new Map<string | undefined, Places>();
  return (resource: ResourceName, last: Position | undefined): Position | undefined => {
    const places =
      known.get(last?.file) ?? placesIn(folder, last ? [last.file] : programFiles(folder));
    known.set(last?.file, places);
    return places.get(label(resource));
  };
}

function placesIn(folder: string, files: readonly string[]): Places {
  const places = new Map<string, Position | undefined>();
  for (const file of files) {
    const content = sourceOf(folder, file);
    let [line, end] = [1, 0];
    for (const { index, 1: type = "", 2: name = "" } of content.matchAll(declaration)) {
      line += content.slice(end, index).split("\n").length - 1;
      end = index;
      const key = `${type} ${name}`;
      places.set(key, places.has(key) ? undefined : { file, line });
    }
  }
  return places;
}

/** Returns nothing for a file that cannot be read, or that a link takes out of the folder. */
function sourceOf(folder: string, file: string): string {
  try {
    const path = realpathSync(join(folder, file));
    return path.startsWith(join(realpathSync(folder), sep)) ? readFile(path, sourceLimit) : "";
  } catch {
    return "";
  }
}

function programFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /\.[cm]?[jt]s$/.test(name));
  } catch {
    return [];
  }
}
