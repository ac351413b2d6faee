/** Finds passwords of database users in plain stack outputs. */
import { diagnose } from "clouddb-connection-strings";
import { outputInText } from "../../validation/arguments";
import { grouped } from "../groups";
import type { PlainPassword } from "../model";
import { type Properties, decoded } from "../values";
import { type OutputStrings, hostsIn } from "./connectionStrings";

/** A password in an output, which must not reach the report. */
interface FoundPassword extends PlainPassword {
  /** As it stands in the text of the output. */
  readonly password: string;
}

/**
 * Finds passwords in outputs: the user of a DatabaseUrl, a colon, text that is no placeholder, and `@` before the first
 * host of that URL.
 *
 * @param outputs the stack outputs with their strings
 * @param urls the properties of the DatabaseUrls, before and after the preview
 */
export function passwordsIn(
  outputs: readonly OutputStrings[],
  urls: readonly Properties[],
): FoundPassword[] {
  const usersByHost = grouped(
    urls.flatMap(({ connectionString, username }) =>
      typeof username === "string"
        ? hostsIn(connectionString).map((hosts) => [firstHost(hosts), username] as const)
        : [],
    ),
  );
  return outputs.flatMap(({ output, strings }) =>
    strings.flatMap(({ hosts, userInfo = "" }) =>
      [...new Set(usersByHost.get(firstHost(hosts)))].flatMap((user) => {
        const password = passwordOf(userInfo, user);
        return isPassword(password) ? [{ output, user, password }] : [];
      }),
    ),
  );
}

/** Returns the first of some hosts, without its port. */
function firstHost(hosts: string): string {
  const [host = ""] = hosts.split(",", 1);
  return host.replace(/:\d+$/, "");
}

/** Returns the text after a user name and a colon; undefined if the user is another one. */
function passwordOf(userInfo: string, user: string): string | undefined {
  const colon = userInfo.indexOf(":");
  const name = decoded(userInfo.slice(0, Math.max(colon, 0)));
  // Without a scheme, other text can stand before it, as in `DATABASE_URL=app:...`.
  const before = name.endsWith(user) ? name.slice(0, name.length - user.length) : undefined;
  const isUser = before !== undefined && !/[\w.~-]$/.test(before);
  return isUser && colon !== -1 ? userInfo.slice(colon + 1) : undefined;
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
