/** Text that nobody means in a connection string, although drivers accept it, and databases that no server can have. */
import { type StringOption, percentDecode } from "../options";
import { isPercentEncoded } from "../parsing";
import { type Finding, mistake, refusals, warning } from "./drivers";
import { optionNames } from "./optionValues";

/** The part of a string in which a value stands. `text` is the text as a whole. */
export type Part = "text" | "username" | "password" | "host" | "database" | "option";

/**
 * Returns a finding if a placeholder or a missing value was written instead of the real value.
 *
 * @param value the decoded value
 * @param option the name of the option
 */
export function standInFinding(value: string, part: Part, option?: string): Finding | undefined {
  const standIn = standIns.find(
    ({ pattern, only }) => (only === undefined || only.includes(part)) && pattern.test(value),
  );
  if (standIn === undefined) return undefined;
  const label =
    part === "option" ? valueOf(option) : `the ${part === "username" ? "user name" : part}`;
  const subject = part === "text" ? undefined : part === "option" ? option : part;
  return mistake("placeholder", `${label} is ${standIn.is}`, standIn.advice, subject);
}

/** Returns the name of an option in a sentence. That of an unknown one may be a part of a password. */
function valueOf(option: string | undefined): string {
  return `the value of ${option ?? "an option that drivers do not know"}`;
}

const placeholder = { is: "a placeholder", advice: "Replace it, including any brackets." };

/** What programs, tools and people write for a value, and in which parts it cannot be a real one. Default: in all */
const standIns: readonly {
  readonly pattern: RegExp;
  readonly is: string;
  readonly advice: string;
  readonly only?: readonly Part[];
}[] = [
  {
    pattern: /^\[secret\]$/,
    is: "[secret], which Pulumi prints instead of a secret",
    advice: "Read the output with `pulumi stack output NAME --show-secrets`.",
  },
  {
    pattern:
      /Calling.{1,60}Output.{1,30}not.{1,3}supported|\[object \w+\]|\bobject at 0x|OutputInternal@|Pulumi\.Output`/is,
    is: "what a program writes for an output or another object",
    advice: "Use pulumi.interpolate or apply.",
  },
  {
    pattern: /^(?:undefined|null|NULL|None|nil|<nil>|NaN|%!\w\([^]*\))$/,
    is: "what a program writes for a missing value",
    advice: "See which variable or output was not set where the text was built.",
  },
  {
    pattern:
      /^(?:\$\{\{?[^{}]*\}\}?|\$\([^()]*\)|\$(?:env:)?[A-Z][A-Z0-9_]{2,}|%[A-Z][A-Z0-9_]{2,}%|`[^`]*`|\{\{resolve:[^]*\}\}|(?:arn:aws[\w-]*:(?:secretsmanager|ssm):|op:\/\/|@Microsoft\.KeyVault\(|projects\/[^/]+\/secrets\/|process\.env\b|os\.environ\b)[^]*)$/,
    is: "a reference to a variable or a secret that nothing replaced",
    advice:
      "A shell replaces none in single quotes, and docker --env-file replaces none at all. Write the value itself.",
  },
  {
    pattern:
      /^(?:\*{3,}|<[^<>/]*>|\{\{[^]*\}\}|\{\d*\}|%s|%\(\w+\)s|\(sensitive(?: value)?\)|\(known after apply\))$/,
    ...placeholder,
  },
  { pattern: /^\{[\w\s.-]*\}$/, only: ["text"], ...placeholder },
  { pattern: /^x{4,}$/i, only: ["host"], ...placeholder },
  {
    pattern: /^(?:\[[A-Z][A-Z0-9 _-]*\]|(?:DB_?)?(?:USER|USERNAME|PASSWORD))$/,
    only: ["username", "password"],
    ...placeholder,
  },
  {
    pattern:
      /^(?:\{[\w-]*(?:password|username)\}|\[?your[_-](?:\w+[_-])?(?:password|username)(?:[_-]here)?\]?)$/i,
    only: ["username", "password"],
    ...placeholder,
  },
];

/** Returns what is wrong with a user name or a password, as it stands in the string. Any text can be a password. */
export function credentialFindings(text: string, part: "username" | "password"): Finding[] {
  const value = percentDecode(text);
  const standIn = standInFinding(value, part);
  if (standIn !== undefined) return [standIn];
  const name = part === "username" ? "user name" : part;
  const isEncodedTwice = /%(?:2[0-9a-f]|3[abdf]|40|5[bd])/i.test(value);
  const twice = "contains codes such as %40 after it was decoded, so it may be encoded twice";
  const once = "Encode it once. DatabaseUrl and withCredentials encode it.";
  const plus = "contains +, which PyMongo 4 reads as a space";
  const rows = [
    [value.includes("\0"), mistake, "contains a NUL character", unlessMeant],
    [/[\r\n]$/.test(value), warning, "ends with a line break", unlessMeant],
    [isEncodedTwice, warning, twice, once],
    [text.includes("+"), warning, plus, "Write %2B for a plus, and %20 for a space."],
  ] as const;
  return rows.flatMap(([applies, finding, what, advice]) =>
    applies ? finding("invalid-credentials", `the ${name} ${what}`, advice, part) : [],
  );
}

const unlessMeant = "Remove it, unless it belongs to the value.";

/** The options whose values are passwords, which can be any text. */
const secretOptions = ["proxyPassword", "tlsCertificateKeyFilePassword"];

/** The options whose values can have a slash that is not encoded. */
const optionsWithSlash = [
  ...secretOptions,
  "appName",
  "authMechanismProperties",
  "proxyHost",
  "proxyUsername",
  "readPreferenceTags",
  "tlsCAFile",
  "tlsCertificateKeyFile",
  "tlsCRLFile",
];

/** What stays at the end of a value that is cut out of a file or of a program. */
const remains = [
  [/["'`\u2018-\u201d][\])}]*$/, "a quote"],
  [/\\$/, "a backslash"],
  [/;$/, "a semicolon"],
  [/,$/, "a comma"],
  [/[\r\n]$/, "a line break"],
  [/\\[rn]$/, "a line break, written as the two characters \\n"],
] as const;

/** Returns what nobody means in the value of an option, whose text is as in the string. */
export function optionMistake(
  name: string | undefined,
  { lowerName, value, whole, text = "" }: StringOption,
): Finding | undefined {
  if (argumentByOption.has(lowerName)) {
    const problem = "an option is a user name or a password, which no driver reads there";
    return mistake("invalid-credentials", problem, "Write user:password@ before the hosts.");
  }
  if (whole.startsWith("amp;"))
    return mistake("option-value", "&amp; stands between options, as in HTML", "Write & instead.");
  const isSecret = name !== undefined && secretOptions.includes(name);
  const standIn = standInFinding(value, "option", name);
  if (standIn !== undefined) return isSecret ? { ...standIn, degree: "warning" } : standIn;
  if (name === undefined) return undefined;
  if (containsOption(text)) {
    const problem = `${valueOf(name)} contains another option`;
    return mistake("option-value", problem, "Put & between the options.", name);
  }
  if (text.includes("/") && !optionsWithSlash.includes(name)) {
    const advice =
      "Remove it. To name a database, write it before the options, or pass the argument database.";
    const problem = "text that begins with a slash follows the options";
    return mistake("text-after-options", problem, advice, name);
  }
  const [, remaining] = remains.find(([pattern]) => pattern.test(value)) ?? [];
  if (remaining === undefined) return undefined;
  const problem = `${valueOf(name)} ends with ${remaining}`;
  return isSecret
    ? warning("option-value", problem, unlessMeant, name)
    : mistake("option-value", problem, "Remove it.", name);
}

/** The arguments of `withCredentials` by the names of options that are written instead, none of which a driver knows. */
export const argumentByOption: ReadonlyMap<string, string> = new Map([
  ["username", "username"],
  ["user", "username"],
  ["password", "password"],
  ["pwd", "password"],
]);

/** Returns whether a value goes on with another option, because the & before it is missing. */
function containsOption(text: string): boolean {
  const [before = "", ...after] = text.toLowerCase().split("=");
  const names = after.length === 0 ? [] : optionNames.filter((name) => before.endsWith(name));
  return names.some((name) => name.length >= 5 || /[?;]$/.test(before.slice(0, -name.length)));
}

/** An `@` in the options, without which the host is not known. */
export const hostAfterQuestionMark = mistake(
  "unencoded-character",
  "an @ follows a question mark, so the host is not known",
  "In a user name or password, write %3F, %2F and %40 for ?, / and @. In an option, write %40.",
  "@",
);

/** The server limits the names of databases to this number of bytes. */
const maxDatabaseBytes = 63;

/** Returns what is wrong with the path of a string, which is the name of a database. */
export function databaseFindings(path: string): Finding[] {
  if (path === "") return [];
  const name = percentDecode(path);
  const standIn = standInFinding(name, "database");
  if (standIn !== undefined) return [standIn];
  const isExternal = name === "$external";
  const [, what, advice = ""] =
    databaseMistakes.find(([pattern]) => pattern.test(name) && !isExternal) ?? [];
  if (what !== undefined)
    return [mistake("invalid-database", `the database ${what}`, advice, "database")];
  if (new TextEncoder().encode(name).length > maxDatabaseBytes) {
    const problem = `the database is longer than ${maxDatabaseBytes} bytes, which the server refuses`;
    return [mistake("invalid-database", problem, "Use a shorter name.", "database")];
  }
  const isUnencoded = !isPercentEncoded(path);
  const refusing = /%(?![0-9a-f]{2})/i.test(path) ? "node go" : "node";
  const inAuthSource = "Name the source of users in authSource.";
  return refusals({ code: "invalid-database", subject: "database" }, [
    [isUnencoded, "a database that is not percent-encoded", refusing, "Write %25 for each %."],
    [name.includes("."), "a database with a dot", "node", "Use another name."],
    [isExternal, "the database $external", "pymongo", inAuthSource],
    [path.includes("+"), "a + in the database, which it reads as a space", "pymongo", "Write %2B."],
  ]);
}

const characters = 'The name of a database has no / \\ " $, white space or NUL.';

/** What can be wrong with the name of a database. */
const databaseMistakes = [
  [/^[^/,]*(?:,[^/,]+\/[^/,]*)+$/, "stands after each host", "Write it once, after the last host."],
  [/[?&;][\w.]+=/, "contains options", "Write them after a question mark, or pass options."],
  [/^\.\.?$/, "is . or .., which drivers drop", "Use another name."],
  [/^\//, "begins with a slash", `Remove it. ${characters}`],
  [/\/$/, "ends with a slash", `Remove it. ${characters}`],
  [/[/\\"$\s\0]/, "contains a character that the server refuses", characters],
  [/[;,'`]$/, "ends with a semicolon, a comma or a quote", "Remove it."],
] as const;
