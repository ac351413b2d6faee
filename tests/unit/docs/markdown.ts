/** Reads the Markdown files of the project. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../../..");

/** A Markdown file. */
export interface Page {
  /** The path in the repository. */
  readonly path: string;
  readonly text: string;
}

/** A block of code in a page. */
export interface CodeBlock {
  readonly page: string;
  /** The line of the first line of code, from 1. */
  readonly line: number;
  /** For example `ts`; empty if the block has none. */
  readonly language: string;
  readonly code: string;
}

const skipped = ["node_modules", "dist", ".git", ".clouddb"];

/**
 * Returns every Markdown file of the project.
 *
 * @param folder the folder to search. Default: the whole repository
 */
export function pages(folder: string = ""): Page[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.includes(entry.name) ? [] : pages(path);
    if (!entry.name.endsWith(".md")) return [];
    return [{ path, text: readFileSync(join(root, path), "utf8") }];
  });
}

/** Returns the blocks of code of a page. */
export function codeBlocks({ path, text }: Page): CodeBlock[] {
  return [...text.matchAll(/^( *)(```+)(\w*)\n([^]*?)^\1\2$/gm)].map((match) => {
    const [, , , language = "", code = ""] = match;
    const line = text.slice(0, match.index).split("\n").length + 1;
    return { page: path, line, language, code };
  });
}

/** Returns a page without its code, because links and headings in code do not count. */
export function prose({ text }: Page): string {
  return text.replace(/^( *)(```+)[^]*?^\1\2$/gm, "").replace(/<!--[^]*?-->/g, "");
}

/** Collapses white space. */
export function collapse(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
