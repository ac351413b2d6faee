/**
 * Escapes external text for messages: one line, of limited length, without characters that control a
 * terminal or reorder text. All text from the service, a file or the environment is escaped here before
 * it becomes part of a message.
 */

/** The default maximum length of external text in a message, in characters. */
const defaultLimit = 500;

/**
 * The characters to escape: control characters including line breaks, format characters (bidirectional
 * controls, zero-width characters), lone surrogates, line and paragraph separators.
 */
export const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes external text for a message.
 *
 * @example escapeText("a\u001b[31mb\nc") // "a\\u{1b}[31mb\\nc"
 */
export function escapeText(text: string, limit: number = defaultLimit): string {
  // Without the first half of a surrogate pair that is cut in two.
  const start = text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
  return (text.length > limit ? `${start}…` : text).replace(unsafeCharacters, escapeCharacter);
}

/**
 * Escapes unsafe characters in a whole message, except for line breaks. This is a safety net in
 * addition to {@link escapeText}, for the places where messages leave the process.
 *
 * @example escapeMessage("a\rb\nc") // "a\\rb\nc"
 */
export function escapeMessage(message: string): string {
  return message.replace(unsafeCharacters, (character) =>
    character === "\n" ? character : escapeCharacter(character),
  );
}

/**
 * Formats a value as JSON on several lines. Unlike `JSON.stringify`, escapes all unsafe characters in its texts.
 *
 * @example jsonText("a\u202e") // "\"a\\u202e\""
 */
export function jsonText(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  // JSON.stringify has escaped the line breaks in texts.
  return JSON.stringify(value, null, 2).replace(unsafeCharacters, (character) =>
    character === "\n" ? character : character.split("").map(escaped).join(""),
  );
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The keys of settings. The code compiles only if `Settings` has them, too. */
type NamedSetting =
  | "baseUrl"
  | "publicKey"
  | "privateKey"
  | "clientId"
  | "clientSecret"
  | "accessToken"
  | "profile"
  | "tokenPath"
  | "apiPath"
  | "fieldPrefix"
  | "mediaType"
  | "clusterPaths"
  | "pageParameter"
  | "pageSizeParameter"
  | "countParameter"
  | "countField"
  | "caFile"
  | "requestsPerMinute"
  | "requestTimeoutSeconds";

/** What a message names: a setting by its key, or an argument by its path. */
type Name = { readonly setting: NamedSetting } | { readonly argument: string };

/**
 * The parts of a message. It keeps the settings and arguments that it names as data until it is rendered for its reader.
 * A stack sets `clouddb:baseUrl`, and a program passes `network.endpointId`. A command reads `CLOUDDB_BASE_URL`, and has
 * the option `--endpoint-id`. The texts are safe to print.
 */
export type MessageText = readonly (string | Name)[];

/** A message that names nothing, or the parts of one. */
export type Renderable = string | MessageText;

/** Returns the name that the reader of a message knows. */
export type Reader = (name: Name) => string;

/** For programs. A provider process cannot tell the stack's configuration from the arguments of an explicit provider. */
export const stackReader: Reader = (name) =>
  "setting" in name ? `clouddb:${name.setting}` : name.argument;

export function setting(key: NamedSetting): MessageText {
  return [{ setting: key }];
}

export function argument(path: string): MessageText {
  return [{ argument: escapeText(path, 200) }];
}

/** Says what is wrong with an argument, such as `clusterName is missing; it must be the name of a cluster`. */
export function argumentProblem(path: string, problem: string): MessageText {
  return [...argument(path), " ", problem];
}

/**
 * Creates a message from a template. Escapes the texts in it, because they come from outside; {@link verbatim} adds
 * others.
 *
 * @example message`cluster ${name} was not found. Check ${setting("apiPath")}.`
 */
export function message(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | MessageText)[]
): MessageText {
  return texts.flatMap((text, index) => {
    const value = values[index] ?? "";
    return [text, ...(typeof value === "object" ? value : [escapeText(String(value))])];
  });
}

/** Marks our own text, or text that is already escaped, for use in a {@link message} as it is. */
export function verbatim(text: Renderable): MessageText {
  return typeof text === "string" ? [text] : text;
}

/** Joins messages, as `Array.join` joins texts. */
export function joined(texts: readonly Renderable[], separator: string): MessageText {
  return texts.flatMap((text, index) => [index === 0 ? "" : separator, ...verbatim(text)]);
}

/** Renders a message for its reader. */
export function render(text: Renderable, reader: Reader = stackReader): string {
  return verbatim(text)
    .map((part) => (typeof part === "string" ? part : reader(part)))
    .join("");
}

/** What a schema reports. Without zod's type, which the package's declarations must not import. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The maximum number of problems to list; more would not help to find the cause. */
const maxProblems = 5;

/**
 * Lists the first five problems that a schema reports, each with the path of the invalid value. Escapes and
 * truncates paths and messages, which may contain keys of the value.
 */
export function problemsOf({ issues }: { readonly issues: readonly Issue[] }): string {
  const problems = issues.slice(0, maxProblems).map(({ path, message }) => {
    const where = path.length === 0 ? "" : `${escapeText(path.join("."), 200)}: `;
    return `${where}${escapeText(message, 300)}`;
  });
  const more = issues.length - problems.length;
  return [...problems, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
