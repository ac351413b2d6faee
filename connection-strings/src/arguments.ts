/** The arguments of `withCredentials`, and what they cannot be, whatever drivers do. */
import { isDeepStrictEqual } from "node:util";
import { ConnectionStringError, invalidCredentials, optionConflict } from "./errors";
import {
  type AddedOption,
  type CredentialOptions,
  groupedOptions,
  optionKey,
  optionsIn,
  percentDecode,
} from "./options";
import { argumentByOption } from "./rules/mistakes";
import { knownName, mechanismsWithoutName, mechanismsWithoutPassword } from "./rules/optionValues";

/** The credentials of a database user, a database, and options to add. */
export interface DatabaseCredentials {
  /**
   * The name of the database user, not encoded. Required, unless the option `authMechanism` is `MONGODB-X509`,
   * `MONGODB-AWS` or `MONGODB-OIDC`.
   */
  readonly username?: string | undefined;
  /**
   * The password of the database user, not encoded. Required, unless the option `authMechanism` is one of these, or
   * `GSSAPI`.
   */
  readonly password?: string | undefined;
  /**
   * The database of the application, not encoded, which becomes the path.
   *
   * @default the database in the string
   */
  readonly database?: string | undefined;
  /**
   * Added after the existing options of the string, for example `{ retryWrites: true }`. Names are case-insensitive.
   * Options whose value is null or undefined are omitted. A list repeats the option.
   *
   * @default no options
   */
  readonly options?: CredentialOptions | null | undefined;
}

/** The names of the arguments. Each begins with another letter, which shows what a misspelled name means. */
const argumentNames = ["username", "password", "database", "options"] as const;

/** Rejects arguments that do not exist. Programs in JavaScript can omit the credentials, or pass null. */
export function requireArguments(credentials: DatabaseCredentials | null | undefined): void {
  if (typeof credentials !== "object" || credentials === null) {
    throw invalidCredentials(
      'the credentials are missing. Pass an object such as { username: "app", password }',
    );
  }
  for (const name of Object.keys(credentials)) {
    if (argumentNames.some((argument) => argument === name)) continue;
    const meant = argumentNames.find((argument) => argument[0] === name[0]?.toLowerCase());
    const expected =
      meant === undefined ? `expected ${argumentNames.join(", ")}` : `did you mean ${meant}?`;
    const advice = knownName(name) === undefined ? expected : "pass it in options";
    throw invalidCredentials(`there is no argument "${name}"; ${advice}`);
  }
  requireOptions(credentials.options ?? {});
}

/**
 * Throws for a string that contains an `@`, because that may end an unencoded password, no part of which may ever count
 * as a host.
 */
export function requireNoCredentials(connectionString: string): void {
  if (typeof connectionString !== "string" || !connectionString.includes("@")) return;
  throw new ConnectionStringError(
    "has-credentials",
    "the connection string already contains credentials, or an @ that is not percent-encoded. Pass the string without them",
  );
}

/** Rejects a user name and a password that the mechanism needs and that are missing, or are not text. */
export function requireUser({ username, password }: DatabaseCredentials, mechanism: string): void {
  const needsName = !mechanismsWithoutName.includes(mechanism);
  if (needsName || isGiven(username) || isGiven(password)) requireText(username, "username");
  const needsPassword = !mechanismsWithoutPassword.includes(mechanism);
  if (needsPassword || isGiven(password)) requireText(password, "password");
}

/** Rejects a database that is not text, or another one than in the string. */
export function requireDatabase({ database }: DatabaseCredentials, existing = ""): void {
  if (!isGiven(database)) return;
  requireText(database, "database");
  if (existing !== "" && percentDecode(existing) !== database)
    throw optionConflict(
      "the connection string already has another database. Omit database, or pass the same name",
    );
}

/** Returns whether an argument is passed. Programs in JavaScript can pass null. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function requireText(text: unknown, property: "username" | "password" | "database"): void {
  if (typeof text === "string" && text !== "") {
    requireWellFormed(text, `the ${property}`);
    return;
  }
  const problem = isGiven(text) && text !== "" ? "not text" : "missing or empty";
  throw invalidCredentials(`the ${property} is ${problem}. ${remedies[property]}`);
}

const remedies = {
  username: `Pass the name of a database user. Only the authMechanism ${anyOf(mechanismsWithoutName)} needs none`,
  password: `Pass the password of the database user. Only the authMechanism ${anyOf(mechanismsWithoutPassword)} needs none`,
  database: "Pass the name of a database, or omit it",
};

function anyOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** Rejects text with a lone surrogate, which cannot be percent-encoded. */
function requireWellFormed(text: string, name: string): void {
  if (!/\p{Cs}/u.test(text)) return;
  throw invalidCredentials(
    `${name} contains an invalid character (a lone surrogate). Remove the character`,
  );
}

function requireOptions(options: CredentialOptions): void {
  if (typeof options !== "object" || Array.isArray(options))
    throw invalidOptions("the options are not an object");
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null) continue;
    const argument = argumentByOption.get(name.toLowerCase());
    // Callers do not treat options as secrets.
    if (argument !== undefined)
      throw invalidCredentials(
        `no driver knows the option ${name}. Omit it, and pass the argument ${argument}`,
      );
    for (const one of [value].flat()) requireValue(name, one);
  }
}

function requireValue(name: string, value: unknown): void {
  const label = labelOf(name);
  if (typeof value === "number" && !Number.isFinite(value))
    throw invalidOptions(`the option ${label} is ${value}, not a finite number`);
  if (!["string", "number", "boolean"].includes(typeof value))
    throw invalidOptions(`the option ${label} is not text, a number, a boolean or a list of these`);
  requireWellFormed(`${name}${String(value)}`, "an option");
  // An empty tag set means any member.
  if (value !== "" || optionKey(name) === "readpreferencetags") return;
  throw new ConnectionStringError(
    "option-value",
    `the option ${label} is empty. Omit it, or pass null`,
  );
}

/**
 * Rejects an option that is passed twice, or is in the string, with another value.
 *
 * @param joined the options of the new string
 */
export function requireNoConflict(added: readonly AddedOption[], joined: string | undefined): void {
  const present = groupedOptions(optionsIn(joined), ({ lowerName }) => optionKey(lowerName));
  const passed = new Map(added.map(({ key, values }) => [key, values]));
  for (const { key, name, values } of added) {
    if (!isDeepStrictEqual(passed.get(key), values))
      throw optionConflict(
        `the option ${labelOf(name)} is passed twice with different values. Pass it once`,
      );
    const existing = present.get(key)?.map(({ value }) => value) ?? [];
    const isSame =
      values.length > 1
        ? isDeepStrictEqual(existing, values)
        : existing.every((value) => value === values[0]);
    if (!isSame)
      throw optionConflict(
        `the connection string already has the option ${labelOf(name)} with another value. Omit it, or pass the same value`,
      );
  }
}

function labelOf(name: string): string {
  return optionKey(name) === "tls" ? "tls (alias: ssl)" : name;
}

function invalidOptions(problem: string): ConnectionStringError {
  return invalidCredentials(`${problem}. Pass options such as { retryWrites: true }`);
}
