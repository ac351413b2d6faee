/** Finds passwords of database users in plain stack outputs. */
import { diagnose } from "clouddb-connection-strings";
import { outputInText } from "../../validation/arguments";
import { grouped } from "../groups";
import { type Properties, decoded } from "../values";
import { type FoundString, hostsIn } from "./connectionStrings";

/**
 * Returns a function that finds passwords in strings: the user of a DatabaseUrl, a colon, text that is no placeholder,
 * and `@` before the first host of that URL. The passwords are as they stand in the text, and must not reach the report.
 *
 * @param urls the properties of the DatabaseUrls, before and after the preview
 */
export function passwordFinder(urls: readonly Properties[]) {
  const usersByHost = grouped(
    urls.flatMap(({ connectionString, username }) =>
      typeof username === "string"
        ? hostsIn(connectionString).map((hosts) => [firstHost(hosts), username] as const)
        : [],
    ),
  );
  return (strings: readonly FoundString[]) =>
    strings.flatMap(({ hosts, user: text, password }) => {
      const all = [...new Set(usersByHost.get(firstHost(hosts)))];
      const users = all.filter((user) => endsWithUser(text, user));
      if (users.length === 0 || !isPassword(password)) return [];
      return users.map((user) => ({ user, password }));
    });
}

/** Returns the first of some hosts, without its port. */
function firstHost(hosts: string): string {
  const [host = ""] = hosts.split(",", 1);
  return host.replace(/:\d+$/, "");
}

/** Returns whether a text ends with a user name. Without a scheme, other text can precede it, as `DATABASE_URL=`. */
function endsWithUser(text: string, user: string): boolean {
  return text.endsWith(user) && !/[\w.~-]$/.test(text.slice(0, text.length - user.length));
}

/**
 * Matches `***`, `xxxx`, `...`, `<password>`, `[secret]`, `{password}`, `$PASSWORD`, `${PASSWORD}`, `$(command)` and `%s`.
 * Templates with these are what careful teams write into a plain output.
 */
const placeholder =
  /^(?:[*•.…]+|[xX]{3,}|<[^]*>|\[[^]*\]|\$?\{[^]*\}|\$\([^]*\)|\$(?:[A-Za-z_]+|[A-Z_][A-Z0-9_]*)|%[a-z])$/;

/** Returns whether the text after a user name and a colon is a password, and not a placeholder. */
export function isPassword(text: string | undefined): text is string {
  if (text === undefined || text === "") return false;
  const plain = decoded(text);
  if (placeholder.test(plain) || outputInText(plain) !== undefined) return false;
  const findings = diagnose(`db://user:${text}@host`);
  return !findings.some(({ code, subject }) => code === "placeholder" && subject === "password");
}
