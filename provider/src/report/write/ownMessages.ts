/** Shows the messages of this package as text, in which only names and values are code. */
import type { Message } from "../model";
import { type Line, joined, line, names } from "./blocks";

/** A word that has no effect in Markdown, whoever wrote it: it can be neither a mark nor a link nor a mention. */
const plainWord = /^\(?[A-Za-z]+(?:['-][A-Za-z]+)*\)?[.,:;]?$/;
/** A number, which has no effect in Markdown, except for one at the start of a line, which could begin a list. */
const plainNumber = /^\(?\d+(?:\.\d+)?\)?[.,:;]?$/;

/** The names of clusters in a message, separated by commas. They are code even if they look like words. */
const clusterNames =
  /(?<=^cluster |no cluster |strings of clusters? |nearest names: |It has \d+ clusters?: )((?:\S+, (?!whose |and ))*\S+)/;

/** Returns a line of a message of this package, with its first letter in upper case. */
export function ownLine(message: string): Line {
  const words = message.split(clusterNames).flatMap((part, index) => {
    // Every second part has names.
    const areNames = index % 2 === 1;
    return part
      .split(" ")
      .filter((word) => word !== "")
      .map((word, at) => (areNames ? codeParts(word) : wordParts(word, index + at === 0)));
  });
  const [first = "", ...rest] = joined(words, " ");
  if (typeof first !== "string") return [first, ...rest];
  return [`${first.charAt(0).toUpperCase()}${first.slice(1)}`, ...rest];
}

/** Returns a plain word as text, and any other as code. */
function wordParts(word: string, isFirst: boolean): Line {
  const isPlain = plainWord.test(word) || (!isFirst && plainNumber.test(word));
  return isPlain ? [word] : codeParts(word);
}

/** Returns a name or a value as code, and the punctuation after it as text. */
function codeParts(word: string): Line {
  const [name = word] = /^.*[^.,:;]/s.exec(word) ?? [];
  const end = word.slice(name.length);
  return line`${name}${end === "" ? [] : [end]}`;
}

/** Says in one line why a change is refused, with the names of the first clusters that prevent it. */
export function refusalLine({ text }: Message): Line {
  const lines = text.split("\n");
  const start = lines.findIndex(isRow);
  const [first = ""] = lines;
  if (start === -1) return ownLine(first);
  const rows = lines.filter(isRow);
  const clusters = rows.flatMap((row) => /^ {2}(.+?) {2}/.exec(row)?.[1] ?? []);
  const [, more = "0"] = /^ {2}and (\d+) more$/.exec(rows.at(-1) ?? "") ?? [];
  // The list of clusters may be incomplete, which the first line then says.
  const reasons = [...new Set([first, lines[start - 1] ?? ""])].map(ownLine);
  return [
    ...reasons.flatMap((reason) => [...reason, " "]),
    ...names(clusters, clusters.length + Number(more)),
    ".",
  ];
}

/** Returns whether a line of a refusal is of the table with clusters. */
export function isRow(line: string): boolean {
  return line.startsWith("  ");
}
