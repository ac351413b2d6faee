/** What is wrong with a text that should be a connection string, in sentences that contain no part of it. */
import { type Diagnosis, diagnose, withoutQuotes } from "../diagnosis";
import { ConnectionStringError } from "../errors";
import { type ParsedConnectionString, parse } from "../parsing";

/** A problem that the person at the terminal can solve. */
export class CheckError extends Error {}

/** Parses a connection string. Throws a CheckError that says what is wrong with it. */
export function parseText(text: string): ParsedConnectionString {
  const sentences = sentencesAbout(text);
  if (sentences.length > 0)
    throw new CheckError(
      `the text is not a connection string that drivers accept. ${sentences.join(" ")}`,
    );
  try {
    return parse(text.trim());
  } catch (error) {
    // Its message contains no part of the text.
    if (error instanceof ConnectionStringError) throw new CheckError(`${error.message}.`);
    throw error;
  }
}

function sentencesAbout(text: string): string[] {
  const whole = sentenceAboutWhole(text);
  if (whole !== undefined) return [whole];
  const findings = diagnose(text);
  const hasOtherText = findings.some(({ code }) => code === "other-text");
  // `parse` would take what precedes the question mark for the host.
  if (!hasOtherText && /^[^?]*\?[^]*@/.test(text))
    return [
      "An @ follows a question mark, so the host is not known. In a user name or password, ?, / and @ must be %3F, %2F and %40. In an option, @ must be %40.",
    ];
  return [...new Set(findings.flatMap((finding) => sentenceFor(finding, text) ?? []))];
}

/** Returns what the text is as a whole, if its parts would be misleading. */
function sentenceAboutWhole(text: string): string | undefined {
  if (isEncoded(text)) return "It is base64, as in a Kubernetes Secret. Decode it.";
  if (isObjectInText(text))
    return "The program put an output or another object into a text. Use pulumi.interpolate or apply.";
  if (isOfOtherServer(text))
    return "Its scheme is that of another kind of server. Use the connection string of a cluster.";
  if (beginsWithName(text))
    return "It begins with a name and = or :. Remove them where the variable is set.";
  return sentenceInPlaceOfString(withoutQuotes(text));
}

/** Returns what text without quotes is that contains no string, such as a variable that nothing replaced. */
function sentenceInPlaceOfString(text: string): string | undefined {
  if (text === "[secret]")
    return "Pulumi printed [secret] instead of a secret output. Print the output with `pulumi stack output NAME --show-secrets`.";
  if (missingValue.test(text))
    return "It is what a program writes for a missing value. See which variable or output was not set where the text was built.";
  if (variableReference.test(text))
    return "It is a reference to a variable that nothing replaced. A shell replaces none in single quotes, and docker --env-file replaces none at all. Set the variable to the value itself.";
  if (placeholder.test(text))
    return "It is a placeholder. Replace it, including the brackets, with the string.";
  return undefined;
}

/** Matches what JavaScript, Python, Ruby and Go print for a missing value. */
const missingValue = /^(?:undefined|null|None|nil|<nil>)$/;

/** Matches a variable of sh, PowerShell, cmd, Kubernetes or GitHub Actions. */
const variableReference = /^(?:\$(?:env:)?\w+|\$\{\{?[^{}]*\}\}?|\$\([^()]*\)|%\w+%)$/i;

/** Matches `<DATABASE_URL>`, `{DATABASE_URL}`, `{{ url }}` and `{}`, but no JSON and no string in brackets. */
const placeholder = /^(?:<[^<>/]*>|\{\{?[\w\s.-]*\}?\})$/;

function isEncoded(text: string): boolean {
  return /^[\w+.-]+:\/\//.test(Buffer.from(text, "base64").toString());
}

/** What Pulumi and JavaScript print for an output or another object in a text, also percent-encoded. */
function isObjectInText(text: string): boolean {
  return /Calling.{1,60}Output.{1,30}not.{1,3}supported|\[object \w+\]|%5Bobject%20/i.test(text);
}

const otherServers =
  /^(?:amqps?|bolt|cassandra|https?|mariadb|mssql|mysqlx?|neo4j|oracle|postgres|postgresql|rediss?|sqlite|sqlserver)(?:\+\w+)?:\/\/|^jdbc:/i;

function isOfOtherServer(text: string): boolean {
  return otherServers.test(text.replace(/^\W+/, ""));
}

/** Such as `export DATABASE_URL="mongodb://...` or `uri: mongodb://...`. */
function beginsWithName(text: string): boolean {
  return /^\W*(?:(?:export|set|const|let|var)\s+)?\w[\w.-]*\s*[=:]\s*["']?[a-z][a-z0-9+.-]*:\/\//i.test(
    text,
  );
}

/** Returns undefined if the error of `parse` says it, or if drivers accept it. */
function sentenceFor({ code, subject }: Diagnosis, text: string): string | undefined {
  switch (code) {
    case "quotes":
      return "It begins and ends with a quote. Remove the quotes where the variable is set. A file for docker --env-file needs none.";
    case "quote":
      return "It begins or ends with a quote. Remove the quote where the variable is set.";
    case "other-text":
      return sentenceForOtherText(text);
    case "no-scheme":
      return "It does not begin with a scheme, a colon and two slashes, such as mongodb+srv://.";
    case "unknown-scheme":
      if (subject !== undefined) return `Its scheme is misspelled. Did you mean ${subject}://?`;
      return "In a scheme, drivers accept nothing after a + except srv, such as mongodb+srv://.";
    case "scheme-case":
      return "Its scheme has capital letters, which drivers refuse. Write it in lower case, such as mongodb+srv://.";
    case "no-host":
      return "It has no host.";
    case "unencoded-character":
      return `${subject === " " ? "A space" : `The character ${subject}`} in the user name or password must be ${encodeURIComponent(subject ?? "")}.`;
    case "placeholder":
      return sentenceForPlaceholder(subject);
    case "repeated-option":
      return `The option ${subject ?? "that drivers do not know"} is in it twice, with different values. Keep one.`;
    case "option-value":
      return `The option ${subject} has a value that it cannot have. If another option follows, put an & between them. A path with a database belongs before the options.`;
    default:
      return undefined;
  }
}

/** Says what to keep of a text that contains a string. Of a command, its options for the credentials get lost. */
function sentenceForOtherText(text: string): string {
  const content = withoutQuotes(text);
  if (/^(?:\{|\[\s*["'`{])/.test(content))
    return "It is JSON or another object that contains the string. Keep only the string, without its quotes.";
  if (/^<[^]*>$/.test(content)) return "It begins with < and ends with >. Remove both.";
  const keepString =
    "It contains other text, such as a command and its options. Keep only the string, from its scheme to the next space or quote.";
  const [string = ""] = /:\/\/[^\s"'`]*/.exec(content) ?? [];
  const [credentials = "", hosts] = string.slice("://".length).split("@");
  const isComplete = hosts !== undefined && credentials.includes(":");
  if (isComplete || !/\s(?:--(?:user|username|password)|-u|-p)\b/.test(content)) return keepString;
  return `${keepString} Options such as --username do not count, so add a user name and a password to the string.`;
}

function sentenceForPlaceholder(part: string | undefined): string {
  switch (part) {
    case "username":
    case "password":
      return `The ${part} is a placeholder, such as <${part}> or ****. Replace it, including any brackets, with the real one.`;
    case "host":
      return "The host is a placeholder, such as <cluster>. Use the string that the service returned.";
    case "database":
      return "The database is a placeholder, such as <database>. Replace it with the name of the application's database, or leave it out.";
    default:
      return `The value of ${part === undefined ? "an option" : `the option ${part}`} is a placeholder. Replace it, or remove the option.`;
  }
}
