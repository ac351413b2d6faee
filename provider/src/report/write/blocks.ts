/** The blocks of a report, for Markdown and terminals. External text is marked as code, so that each can escape it. */
import { counted } from "../../messages/format";
import { grouped } from "../groups";
import type { Difference, Receivers } from "../model";
import { type ResourceName, shortType } from "../resourceNames";

/** Text of this package, and external text, which is marked as code. */
export type Line = readonly (string | { readonly code: string })[];

/** A part of a report, perhaps below a title. If a report is cut, it has all of a block or nothing. */
export type Block = (
  | { readonly kind: "text"; readonly lines: readonly Line[] }
  /** What `count` resources have in common. */
  | {
      readonly kind: "alert";
      readonly severity: "error" | "warning";
      readonly lines: readonly Line[];
      readonly count: number;
    }
  | {
      readonly kind: "table";
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Line[])[];
    }
  | { readonly kind: "code"; readonly lines: readonly string[] }
  /** External lines, which a reader must open. */
  | {
      readonly kind: "folded";
      readonly summary: string;
      readonly language: "text" | "diff";
      readonly lines: readonly string[];
    }
) & {
  readonly title?: Line;
  /** Whether it remains if a report is cut. */
  readonly isEssential?: true;
};

/**
 * Makes a line of a template. Its own text is this package's. An inserted text is external, and becomes code, unless it
 * is a line.
 */
export function line(texts: TemplateStringsArray, ...inserted: readonly (string | Line)[]): Line {
  return texts.flatMap((own, at): Line => {
    const part = inserted[at] ?? [];
    return [...(own === "" ? [] : [own]), ...(typeof part === "string" ? [{ code: part }] : part)];
  });
}

/** Makes a block of paragraphs; none without any. */
export function text(...lines: readonly Line[]): Block[] {
  const shown = lines.filter((each) => each.length > 0);
  return shown.length === 0 ? [] : [{ kind: "text", lines: shown }];
}

/** Makes an alert; none without lines. */
export function alert(severity: "error" | "warning", lines: readonly Line[], count = 1): Block[] {
  return lines.length === 0 ? [] : [{ kind: "alert", severity, lines, count }];
}

export const essential = (block: Block): Block => ({ ...block, isEssential: true });

/** A column of a table: its title, and what it shows of an item. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (item: T) => Line;
}

/** Makes a table with a row for each item. */
export function table<T>(title: Line, columns: readonly Column<T>[], items: readonly T[]): Block {
  return {
    title,
    kind: "table",
    columns: columns.map((column) => column.title),
    rows: items.map((item) => columns.map(({ cell }) => cell(item))),
  };
}

/** Makes a block that a reader must open; none if it would be empty. */
export function folded(
  summary: string,
  lines: readonly string[],
  language: "text" | "diff" = "text",
): Block[] {
  return lines.length === 0 ? [] : [{ kind: "folded", summary, language, lines }];
}

/** Joins the lines that are not empty with a separator. */
export function joined(lines: readonly Line[], separator: string): Line {
  const parts = lines.filter((each) => each.length > 0);
  return parts.flatMap((each, at) => (at === 0 ? each : [separator, ...each]));
}

/** Orders names as people do: `shop-2` before `shop-10`. */
export const { compare: compareNames } = new Intl.Collator("en", { numeric: true });

/** Joins lines such as "a, b and c". */
export function sentenceList(lines: readonly Line[]): Line {
  return joined([joined(lines.slice(0, -1), ", "), lines.at(-1) ?? []], " and ");
}

/** How many lines or names a list has by default. */
const maxListed = 10;

/**
 * Lists the first lines, and counts the others, such as "a, b and 3 more".
 *
 * @param max how many lines it lists
 * @param count how many there are. Default: those that are known
 */
export function firstOf(
  lines: readonly Line[],
  max: number = maxListed,
  count: number = lines.length,
): Line {
  const shown = lines.slice(0, max);
  const more = count - shown.length;
  return [...joined(shown, ", "), ...(more > 0 ? [` and ${more} more`] : [])];
}

/** Lists the first names in their order, and counts the others, like `firstOf`. */
export function names(all: readonly string[], count?: number): Line {
  const sorted = all.toSorted(compareNames).map((name) => line`${name}`);
  return firstOf(sorted, maxListed, count);
}

/** Names some resources of each type, such as "Secret `a`, Deployment `b`, `c` and 98 more". */
export function namesByType(resources: readonly ResourceName[]): Line {
  const groups = grouped(resources.map(({ type, name }) => [shortType(type), name]));
  return joined(
    [...groups].map(([type, all]) => line`${typeLine(type)} ${names(all)}`),
    ", ",
  );
}

/** Shows the last part of a type, such as Secret, as text if it is a word. */
export function typeLine(type: string): Line {
  const short = shortType(type);
  return /^\w{1,100}$/.test(short) ? [short] : line`${short}`;
}

/** Such as "lookups `orders`, `billing`"; empty without names. */
export function countedNames(noun: string, all: readonly string[]): Line {
  return all.length === 0 ? [] : [`${counted(noun, all.length)} `, ...names(all)];
}

/** Such as "Secret `orders-db`, then Deployment `api`; output `url`". */
export function receiversLine({ direct, further, outputs }: Receivers): Line {
  const resources = joined([namesByType(direct), namesByType(further)], ", then ");
  return joined([resources, countedNames("{output|outputs}", outputs)], "; ");
}

/** Says which project or cluster a value is of, if a change moves its resource to another one. */
export function subjectLine(subject: string | undefined): Line {
  return subject === undefined ? [] : line` of ${subject}`;
}

/** The maximum length of a start that two texts have in common, and how much of a longer one is shown. */
const maxCommonStart = 200;
const shownStart = 50;

/** Cuts a long start that both texts have, because formats limit a text, and the first difference must be visible. */
export function withoutCommonStart(difference: Difference): Difference {
  const { name, old = "", new: now = "" } = difference;
  let start = 0;
  while (start < old.length && old[start] === now[start]) start++;
  if (start <= maxCommonStart) return difference;
  const [before, after] = [old, now].map((value) => `…${value.slice(start - shownStart)}`);
  return { name, old: before, new: after };
}
