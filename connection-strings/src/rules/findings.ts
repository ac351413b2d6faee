/** What is wrong with a connection string that can be parsed. Every function and the check ask only this one. */
import { type StringOption, groupedOptions, optionsIn } from "../options";
import type { ParsedConnectionString } from "../parsing";
import { nearestWord } from "../spelling";
import { type DriverInput, combinationFindings } from "./combinations";
import { type Finding, mistake, refusals, refused, warning } from "./drivers";
import {
  credentialFindings,
  databaseFindings,
  hostAfterQuestionMark,
  optionMistake,
  standInFinding,
} from "./mistakes";
import { knownName, optionNames, valueFindings } from "./optionValues";

/**
 * Returns all findings in a string, in the order of its parts.
 *
 * @param published the options in the TXT record of its name, if it was read
 */
export function findingsIn(
  { scheme, form, userInfo = "", hosts, database, options: query }: ParsedConnectionString,
  published = new URLSearchParams(),
): Finding[] {
  const [username = "", password = ""] = userInfo.split(":");
  const { options, repeated } = distinctOptions(optionsIn(query));
  const values = new Map(options.map(({ lowerName, value }) => [lowerName, value]));
  const tagSets = options.flatMap(({ lowerName, value }) => (lowerName === tags ? value : []));
  const isValid = (tagSet: string) => valueFindings(tags, tagSet).length === 0;
  const hasTags = tagSets.some((tagSet) => tagSet !== "") && tagSets.every(isValid);
  const lacksSlash = query !== undefined && database === undefined;
  const user = { hasName: username !== "", hasPassword: password !== "" };
  const input = { form, hostCount: hosts.length, ...user, options: values, hasTags, published };
  return [
    ...schemeFindings(scheme),
    ...credentialFindings(username, "username"),
    ...credentialFindings(password, "password"),
    ...hosts.flatMap(({ name }) => hostFindings(name)),
    ...databaseFindings(database ?? ""),
    ...refusals({ code: "missing-slash" }, [
      [lacksSlash, "options without a slash before them", "go", "Write /? instead of ?."],
    ]),
    ...(query?.includes("@") ? [hostAfterQuestionMark] : []),
    ...(lacksSource(input, database ?? "") ? [missingSource] : []),
    ...repeated,
    ...options.flatMap(optionFindings),
    // Drivers differ in which of two values they take.
    ...(repeated.some(isMistake) ? [] : combinationFindings(input)),
  ];
}

/** The option that a string can repeat, in lower case. */
const tags = "readpreferencetags";

/** Returns whether drivers look for a user with a password in the database of the path. */
function lacksSource({ form, hasPassword, options }: DriverInput, path: string): boolean {
  const isInPath = form === "hosts" && hasPassword && path !== "" && path !== "admin";
  const isScram = /^(?:SCRAM.*)?$/i.test(options.get("authmechanism") ?? "");
  return isInPath && isScram && !options.has("authsource");
}

const missingSource = warning(
  "missing-source",
  "drivers look for the user in the database of the path, because there is no authSource",
  "Unless the user is defined there, add authSource=admin.",
  "authSource",
);

/**
 * Returns what is wrong with a scheme. Drivers compare it with their own, which is in lower case. A service can have a
 * driver with another one, such as `db` and `db+srv`.
 */
export function schemeFindings(scheme: string): Finding[] {
  const lowerCase = scheme.toLowerCase();
  const intended = nearestWord(lowerCase, ["mongodb", "mongodb+srv"]);
  if (intended !== undefined) {
    const advice = `Did you mean ${intended}://?`;
    const problem = "drivers refuse the scheme, which is misspelled";
    return [refused("unknown-scheme", problem, advice, intended)];
  }
  if (/\+(?!srv$)/.test(lowerCase)) {
    const problem = "drivers refuse a scheme with a + that does not begin +srv";
    return [refused("unknown-scheme", problem, "Write for example mongodb+srv://.")];
  }
  if (scheme === lowerCase) return [];
  const advice = "Write it in lower case, such as mongodb+srv://.";
  return [refused("scheme-case", "drivers refuse a scheme with capital letters", advice)];
}

function hostFindings(name: string): Finding[] {
  return name
    .split(".")
    .flatMap((label) => standInFinding(label, "host") ?? [])
    .slice(0, 1);
}

function optionFindings(option: StringOption): Finding[] {
  const { lowerName, whole, text = "", value } = option;
  const name = knownName(lowerName);
  const unmeant = optionMistake(name, option);
  if (unmeant !== undefined) return [unmeant];
  if (whole.includes(";")) return [semicolon];
  const label = name ?? "an option";
  const hasSign = option.text !== undefined;
  const ofText = refusals({ code: "option-value", subject: name }, [
    [whole === "", "an empty option", "pymongo", "Remove the & that no option follows."],
    [whole !== "" && !hasSign, `${label} without =`, "node go", "Add a value, or remove it."],
    [hasSign && lowerName === "", "a value without an option", "node go"],
    [text.includes("="), `a = in the value of ${label}`, "pymongo", "Write %3D."],
    [/%(?![0-9a-f]{2})/i.test(whole), `a % in ${label}`, "go", "Write %25."],
  ]);
  if (!hasSign || lowerName === "") return ofText;
  return [
    ...ofText,
    ...(name === undefined ? unknownOption(lowerName) : valueFindings(lowerName, value)),
  ];
}

/** The Go driver and PyMongo separate options at a semicolon, too. */
const semicolon = mistake(
  "option-value",
  "the options contain a semicolon, which drivers read differently",
  "Write & between options, and %3B in a value.",
);

/** The names that are long enough to be recognized if they are misspelled. An earlier name is not recommended. */
const longNames = optionNames.filter((name) => name.length >= 5 && name !== "wtimeout");

/** A service can have a driver with other options, so only a misspelled one is found. */
function unknownOption(lowerName: string): Finding[] {
  const nearest = nearestWord(lowerName, longNames);
  if (nearest === undefined) return [];
  const subject = knownName(nearest);
  const what = `an option that resembles ${subject}, which others ignore`;
  return refusals({ code: "unknown-option", subject }, [
    [true, what, "node", `Did you mean ${subject}?`],
  ]);
}

/** Returns the options without those that have two values, and findings about repeated ones. */
function distinctOptions(all: readonly StringOption[]) {
  const byName = groupedOptions(all, ({ lowerName }) => lowerName);
  const groups = [...byName].map(([name, same]) => ({ same, found: repetition(name, same) }));
  return {
    repeated: groups.flatMap(({ found }) => found),
    options: groups.flatMap(({ same, found }) => (found.some(isMistake) ? [] : same)),
  };
}

function repetition(lowerName: string, same: readonly StringOption[]): Finding[] {
  const [first] = same;
  if (first === undefined || same.length === 1 || ["", tags].includes(lowerName)) return [];
  const subject = knownName(lowerName);
  if (same.some(({ value }) => value !== first.value)) {
    const label = subject === undefined ? "an option" : `the option ${subject}`;
    const problem = `${label} is in the string twice, with different values`;
    return [mistake("repeated-option", problem, "Keep one.", subject)];
  }
  const isSame = same.every(({ whole }) => whole === first.whole);
  return refusals({ code: "repeated-option", subject }, [
    [isSame, `${subject ?? "an option"} twice`, "node", "Keep one."],
  ]);
}

function isMistake({ degree }: Finding): boolean {
  return degree === "mistake";
}
