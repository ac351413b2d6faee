/** Finds what is wrong with text that should be a connection string, even if it cannot be parsed. */
import { percentDecode } from "./options";
import {
  type ParsedConnectionString,
  type ParsingProblem,
  isPercentEncoded,
  parseOrProblem,
  withoutSpace,
} from "./parsing";
import { type Finding, mistake, refused, warning } from "./rules/drivers";
import { findingsIn, schemeFindings } from "./rules/findings";
import { hostAfterQuestionMark, standInFinding } from "./rules/mistakes";

/**
 * Finds what is wrong with a connection string, for example from an environment variable: why `parse` rejects it, what
 * drivers refuse, and text that nobody means, such as quotes, a pasted command or a placeholder.
 *
 * @param text the text, with or without credentials
 * @returns what was found, with its degree; an empty list for a string that drivers accept. Never throws.
 * @example
 * diagnose("db+srv://app:So@123@orders.ab1cd.db.example")[0]?.problem;
 * // "the character @ in the user name or password is not percent-encoded"
 */
export function diagnose(text: string): Finding[] {
  return [...readText(text).findings];
}

/** What was read in a text. */
export interface ReadText {
  /** The parts, without white space around the string and between its hosts. Undefined if it cannot be parsed. */
  readonly parts: ParsedConnectionString | undefined;
  readonly findings: readonly Finding[];
}

/** Reads text that should be a connection string. */
export function readText(text: string): ReadText {
  if (typeof text !== "string")
    return unreadable([mistake("not-a-connection-string", "the value is not text", "Pass text.")]);
  const trimmed = text.trim();
  const whole = findingAboutWhole(withoutQuotes(trimmed));
  if (whole !== undefined) return unreadable([whole]);
  const content = withoutSpace(trimmed);
  const parsed = parseOrProblem(content);
  const { parts, findings } =
    parsed.kind === "parsed"
      ? { parts: parsed.parts, findings: findingsIn(parsed.parts) }
      : unreadable(problemsIn(content, parsed));
  const spaces = [
    ...(trimmed === text ? [] : ["around the string, which some drivers do not remove"]),
    ...(content === trimmed ? [] : ["between hosts, which drivers take for a part of a name"]),
  ];
  return { parts, findings: [...spaces.map(whiteSpace), ...findings] };
}

function unreadable(findings: readonly Finding[]): ReadText {
  return { parts: undefined, findings };
}

function whiteSpace(where: string): Finding {
  return warning("white-space", `there is white space ${where}`, "Remove it.");
}

/** Removes quotes and white space from both ends. */
function withoutQuotes(text: string): string {
  return text.replace(
    /^["'`\u2018-\u201d\s]+|(?<!["'`\u2018-\u201d\s])["'`\u2018-\u201d\s]+$/g,
    "",
  );
}

/** Returns what the text is as a whole, if its parts would be misleading. */
function findingAboutWhole(text: string): Finding | undefined {
  const standIn = standInFinding(text, "text");
  if (standIn !== undefined) return standIn;
  const kinds = [
    [isBase64(text), "is base64, as in a Kubernetes Secret", "Decode it."],
    [otherServer.test(text), "is the string of another kind of server", "Use that of a cluster."],
    [/^jdbc:/i.test(text), "begins with jdbc:", "Remove it."],
    [/^[\w.%+-]+%3A%2F%2F/i.test(text), "is percent-encoded as a whole", "Decode it once."],
    [beginsWithName.test(text), "begins with a name and = or :", "Remove them where it is set."],
  ] as const;
  const [, is, advice = ""] = kinds.find(([applies]) => applies) ?? [];
  return is === undefined ? undefined : mistake("other-text", `the text ${is}`, advice);
}

function isBase64(text: string): boolean {
  const content = text.replace(/\s/g, "");
  const hasAlphabet = /^(?:[a-z0-9+/]{4})+(?:[a-z0-9+/]{2,3}={0,2})?$/i.test(content);
  return hasAlphabet && (schemeAndRest.test(atob(content)) || isBase64(atob(content)));
}

const otherServer =
  /^\W*(?:(?:amqps?|bolt|cassandra|https?|mariadb|mssql|mysqlx?|neo4j|oracle|postgres|postgresql|rediss?|sqlite|sqlserver)(?:\+\w+)?:\/\/|jdbc:(?!mongodb))/i;

/** Such as `export DATABASE_URL="mongodb://...` or `uri: mongodb://...`. */
const beginsWithName =
  /^\W*(?:(?:export|set|const|let|var)\s+)?\w[\w.-]*\s*[=:]\s*["']?[a-z][a-z0-9+.-]*:\/\//i;

/** Captures the scheme at the start of a string, and the rest. */
const schemeAndRest = /^([a-z][a-z0-9+.-]*):\/\/([^]*)$/i;

/** Returns what is wrong with text that cannot be parsed. */
function problemsIn(text: string, unparsed: ParsingProblem): Finding[] {
  const unquoted = withoutQuotes(text);
  if (hasOtherText(unquoted)) return [otherText(unquoted)];
  if (unquoted !== text) {
    const ends = /^(["'`])[^]*\1$/.test(text) ? "begins and ends" : "begins or ends";
    const advice =
      "Remove the quotes where the variable is set. A file for docker --env-file needs none.";
    const quotes = mistake("quotes", `the text ${ends} with a quote`, advice);
    return [quotes, ...readText(unquoted).findings];
  }
  const [, scheme, rest = ""] = schemeAndRest.exec(text) ?? [];
  if (scheme === undefined) {
    const problem = "the text does not begin with a scheme, a colon and two slashes";
    return [mistake("no-scheme", problem, "Begin it with a scheme, such as mongodb+srv://.")];
  }
  if (/\?[^]*@/.test(rest)) return [...schemeFindings(scheme), hostAfterQuestionMark];
  const at = rest.lastIndexOf("@");
  const location = rest.slice(at + 1);
  const [, hosts = "", database, options] =
    /^([^/?]*)(?:\/([^?]*))?(?:\?([^]*))?$/.exec(location) ?? [];
  const parsed = parseOrProblem(`${scheme}://${hosts}`);
  const causes = at === -1 ? [] : credentialProblems(rest.slice(0, at));
  // Without hosts, what follows may be a part of a password.
  if (parsed.kind === "problem") {
    const text = at === -1 ? hosts : `@${hosts}`;
    return [...schemeFindings(scheme), ...causes, hostProblem(text, location, parsed)];
  }
  if (causes.length === 0) causes.push(remainingProblem(location, unparsed));
  const userInfo = at === -1 ? undefined : "user:password";
  return [...causes, ...findingsIn({ ...parsed.parts, userInfo, database, options })];
}

/** Returns what is wrong with the text before the last @, which can only be a user name and a password. */
function credentialProblems(userInfo: string): Finding[] {
  const colon = userInfo.includes(":") ? userInfo.indexOf(":") : userInfo.length;
  const [username, password] = [userInfo.slice(0, colon), userInfo.slice(colon + 1)];
  const ofPassword = charactersIn(password, "password");
  if (credentialsOfEachHost.test(password)) {
    const advice = "Write them once, before the first host.";
    return [mistake("unencoded-character", "credentials stand before each host", advice, "@")];
  }
  if (username !== "") return [...charactersIn(username, "username"), ...ofPassword];
  const problem = "drivers refuse an empty user name";
  const advice = "Add it, or remove the text before the @.";
  return [refused("invalid-credentials", problem, advice, "username"), ...ofPassword];
}

/** Matches a password, an @ and a host, and then other credentials. */
const credentialsOfEachHost = /@[\w.-]+(?::\d+)?,[^@/:]+:[^@/:]+$/;

function charactersIn(text: string, part: "username" | "password"): Finding[] {
  const standIn = standInFinding(percentDecode(text), part);
  if (standIn !== undefined) return [standIn];
  const characters = Array.from("@/?#:[] ").filter((reserved) => text.includes(reserved));
  return [...characters, ...(isPercentEncoded(text) ? [] : ["%"])].map((subject) => {
    const finding = "@/:%".includes(subject) ? refused : mistake;
    const what = subject === " " ? "a space" : `the character ${subject}`;
    const problem = `${what} in the user name or password is not percent-encoded`;
    const advice = `Write ${encodeURIComponent(subject)}.`;
    return finding("unencoded-character", problem, advice, subject);
  });
}

const invisible = /[\s\p{Cc}\p{Cf}]/u;

/** What hosts can look like that cannot be parsed. The @ in front of them shows that they follow credentials. */
const wrongHosts = [
  [
    /^@?[0-9a-f.]*(?::[0-9a-f.]*){2,}$/i,
    "an IPv6 address has no brackets",
    "Write [ and ] around it.",
  ],
  [
    /^[^@:,["'`]+:(?!\d*(?:,|$))/,
    "the @ before the host is missing, or the text after the first colon is not a port",
    "Write @ between the password and the host, and a port as a number.",
  ],
  [/["'`]/, "a quote stands before or after a host", "Remove the quotes."],
  [
    invisible,
    "a host contains white space or an invisible character",
    "Remove it, or write a comma between hosts.",
  ],
  [/[&=]/, "options without a question mark follow the hosts", "Write /? before the options."],
  [/;/, "a semicolon stands between or after the hosts", "Separate hosts with commas."],
  [/,,|,$/, "a host is missing before or after a comma", "Remove the comma."],
  [/\\[rn]$/, "the hosts end with the two characters \\n", "Remove them."],
] as const;

/** Describes hosts that cannot be parsed. */
function hostProblem(hosts: string, location: string, unparsed: ParsingProblem): Finding {
  if (/^@?(?:$|[#:,])/.test(hosts) && !/^@?:.*:/.test(hosts))
    return mistake("no-host", "the text has no host", "Add it.");
  // Without an @, what follows a colon can be a password.
  const names = hosts.includes("@") ? hosts : hosts.replaceAll(/:[^,]*/g, "");
  for (const label of names.split(/[@,.:]/)) {
    const standIn = standInFinding(label, "host");
    if (standIn !== undefined) return standIn;
  }
  if (/(?:^|,)\s*["'`]?\s*[a-z][a-z0-9+.-]*:\/\//i.test(location)) {
    const advice = "Write it once, before everything else.";
    return mistake("invalid-host", "a scheme stands before a host", advice);
  }
  const [, problem, advice] = wrongHosts.find(([pattern]) => pattern.test(hosts)) ?? [];
  return problem === undefined ? asParsed(unparsed) : mistake("invalid-host", problem, advice);
}

/** Describes what `parse` does not accept, if nothing else explains it. */
function remainingProblem(location: string, unparsed: ParsingProblem): Finding {
  if (location.includes("#"))
    return mistake(unparsed.code, "a # follows the host", "Write %23, or remove it.");
  if (!invisible.test(location)) return asParsed(unparsed);
  const problem = "the text contains white space or an invisible character";
  return mistake(unparsed.code, problem, "Remove it, or write %20 for a space.");
}

function asParsed({ code, problem }: ParsingProblem): Finding {
  return mistake(code, problem, "Use the string that the service returned.");
}

/** Returns whether text that cannot be parsed is a string with other text before or after it. */
function hasOtherText(text: string): boolean {
  if (!schemeAndRest.test(text)) return stringInside.test(text);
  const [string = ""] = text.split(/\s/, 1);
  const isFollowed = furtherArguments.test(text.slice(string.length));
  return isFollowed && parseOrProblem(withoutQuotes(string)).kind === "parsed";
}

/** Matches a string after white space, a quote or another character that cannot be in front of a scheme. */
const stringInside = /[\s"'`=,(<{[][a-z][a-z0-9+.-]*:\/\/[^\s"'`]/i;

/** Matches what follows a string in a command, such as an option, a pipe or a comment. */
const furtherArguments = /^\s+[-|&>;#\\]/;

/** Says what to keep of a text that contains a string. Of a command, its options for the credentials get lost. */
function otherText(text: string): Finding {
  const found = (is: string, advice: string) => mistake("other-text", `the text ${is}`, advice);
  if (/^(?:\{|\[\s*["'`{])/.test(text)) {
    const advice = "Keep only the string, without its quotes.";
    return found("is JSON or another object that contains the string", advice);
  }
  if (/^<[^]*>$/.test(text)) return found("begins with < and ends with >", "Remove both.");
  const keep = "Keep only the string, from its scheme to the next space or quote.";
  const [string = ""] = /:\/\/[^\s"'`]*/.exec(text) ?? [];
  const [credentials = "", hosts] = string.slice("://".length).split("@");
  const isComplete = hosts !== undefined && credentials.includes(":");
  const isCommand = /\s(?:--(?:user|username|password)|-u|-p)\b/.test(text);
  const lost = "Options such as --username do not count, so add a user name and a password to it.";
  const advice = isCommand && !isComplete ? `${keep} ${lost}` : keep;
  return found("contains other text, such as a command and its options", advice);
}
