/** Finds the lines of the program that stack traces and the state name. */
import { relative, resolve, sep } from "node:path";
import type { Position } from "../model";

/** The folder of this package, whose files are not the program's even if it is in the project's folder. */
const packageFolder = resolve(__dirname, "../../..");

/** Returns the first of these places that is in the program itself, which is in this folder. */
export function positionIn(folder: string, places: readonly Position[]): Position | undefined {
  const found = places.map(({ file, line }) => {
    const path = resolve(folder, file);
    const parts = relative(folder, path).split(sep);
    const isOfPackage = parts.includes("node_modules") || path.startsWith(`${packageFolder}${sep}`);
    return parts.includes("..") || isOfPackage ? [] : [{ file: parts.join("/"), line }];
  });
  return found.flat()[0];
}
