/** Finds the mistakes in the value that `strings --check` checks. No message contains a part of the value. */
import {
  type Diagnosis,
  type ParsedConnectionString,
  diagnose,
  parse,
} from "clouddb-connection-strings";
import { ProviderError } from "../messages/errors";

/** Texts in which a driver, or this check, would not find what is meant. */
const otherTexts: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [
    /Calling.{1,60}Output.{1,30}not.{1,3}supported|\[object \w+\]|%5Bobject%20/i,
    "The program put an output or another object into a text. Use pulumi.interpolate or apply.",
  ],
  [
    /^\W*(?:jdbc:|(?:amqps?|bolt|cassandra|https?|mariadb|mssql|mysqlx?|neo4j|oracle|postgres(?:ql)?|rediss?|sqlite|sqlserver)(?:\+\w+)?:\/\/)/i,
    "Its scheme is that of another kind of server. Use the connection string of a cluster.",
  ],
  [
    /^\W*(?:(?:export|set)\s+)?\w[\w.-]*\s*[=:]\s*["']?[a-z][a-z0-9+.-]*:\/\//i,
    "It begins with a name and = or :. Remove them where the variable is set.",
  ],
  [
    /^[^?]*\?[^]*@/,
    "An @ follows a question mark, so the host is not known. In a user name or password, ?, / and @ must be %3F, %2F and %40. In an option, @ must be %40.",
  ],
];

/** What is wrong with a string, and what to do. The error of `parse` says it for the other codes. */
const problems: Partial<Record<Diagnosis["code"], (subject: string | undefined) => string>> = {
  quotes: () =>
    "It begins and ends with a quote. Remove the quotes where the variable is set. A file for docker --env-file needs none.",
  quote: () => "It begins or ends with a quote. Remove the quote where the variable is set.",
  "no-scheme": () => "It does not begin with a scheme, such as <scheme>:// or <scheme>+srv://.",
  "no-host": () => "It has no host.",
  "unencoded-character": (character = "") =>
    `${character === " " ? "A space" : `The character ${character}`} in the user name or password must be ${encodeURIComponent(character)}.`,
  placeholder: (part = "rest") =>
    `The ${part} is a placeholder, such as <password>. Replace it with the real one.`,
  "repeated-option": (option = "that drivers do not know") =>
    `The option ${option} is in it twice, with different values. Keep one.`,
  "option-value": (option) =>
    `The option ${option} has a value that it cannot have. If another option follows, put an & between them. A path with a database belongs before the options.`,
};

/** Reads a connection string. Throws a ProviderError or a ConnectionStringError that says what is wrong with it. */
export function readConnectionString(text: string): ParsedConnectionString {
  const findings = diagnose(text);
  const found = findings.flatMap(({ code, subject }) => problems[code]?.(subject) ?? []);
  const [, other] = otherTexts.find(([pattern]) => pattern.test(text)) ?? [];
  const isBase64 =
    !text.includes(":") && /^[\w+.-]+:\/\//.test(Buffer.from(text, "base64").toString());
  const sentence = isBase64 ? "It is base64, as in a Kubernetes Secret. Decode it." : other;
  if (sentence !== undefined || found.length > 0) {
    throw new ProviderError(
      `the text is not a connection string that drivers accept. ${sentence ?? [...new Set(found)].join(" ")}`,
    );
  }
  return parse(text.trim());
}
