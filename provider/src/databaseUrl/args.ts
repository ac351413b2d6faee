/**
 * The arguments of a DatabaseUrl: their types, which users see, and the schema that validates them. Add a new argument
 * to both; the code compiles only if they have the same properties
 * (docs/internals/decisions.md#0018-types-and-schemas). Programs import only the types.
 */
import type { DatabaseCredentials, OptionValue } from "clouddb-connection-strings";
import { type SchemasOf, requiredName } from "../validation/arguments";
import { mustBe } from "../validation/values";
import * as z from "zod/mini";
import type { InputArgs } from "../program/sdk";
import { secretIn } from "./secretOptions";

/** The arguments as plain values. */
export interface UrlArgs extends Omit<DatabaseCredentials, "options"> {
  /**
   * A connection string without credentials and secret options, such as the output `recommended` of
   * `ClusterConnectionStrings`.
   */
  readonly connectionString: string;
  /**
   * The password of the database user, not encoded. Required, unless the option `authMechanism` is `MONGODB-X509`,
   * `MONGODB-AWS`, `MONGODB-OIDC` or `GSSAPI`.
   *
   * @secret
   */
  readonly password?: string | undefined;
  /**
   * Options to add after the existing ones, such as `retryWrites`. Values are strings, numbers, booleans, and lists of
   * these, which repeat the option. All are secrets if one is `authMechanismProperties`, or its name ends with a word
   * such as `password` or `passphrase`. The option `authMechanism` decides which `authSource` the URL has: `$external`
   * with `MONGODB-X509`, `MONGODB-AWS`, `MONGODB-OIDC` and `GSSAPI`, if the connection string has another one, and with
   * `PLAIN`, if you pass no other one.
   *
   * @default no options
   * @example { readPreference: "secondary", readPreferenceTags: ["nodeType:ANALYTICS", ""] }
   */
  readonly options?:
    | Record<string, OptionValue | readonly OptionValue[] | null | undefined>
    | undefined;
}

/** The arguments of `DatabaseUrl`, which may be outputs of other resources. */
export type DatabaseUrlArgs = InputArgs<UrlArgs>;

const hasNoCredentials = (text: string) => !text.includes("@");
const optionValue = z.union([z.string(), z.number(), z.boolean()]);
const option = z.nullish(
  z.union(
    [optionValue, z.array(optionValue)],
    mustBe("text, a number, a boolean or a list of these"),
  ),
);

/** Rejects a secret in the connection string, which the state and previews contain in plain text. */
function secretProblem({ input }: z.core.$ZodRawIssue): string {
  const { what, place } = (typeof input === "string" ? secretIn(input) : undefined) ?? {};
  return `must be a connection string without ${what}, which is a secret. Remove it from the string, and pass it ${place}`;
}

/** Returns whether options lack the name `__proto__`, which zod would drop without an error, as Pulumi does. */
const hasNoPrototype = (options: unknown) =>
  typeof options !== "object" || options === null || !Object.hasOwn(options, "__proto__");

/** The schema of the arguments. @internal */
export const argsSchema = z.strictObject({
  connectionString: z.string(mustBe("a connection string")).check(
    z.refine(
      hasNoCredentials,
      "must be a connection string without credentials. Pass them as username and password",
    ),
    z.refine((text) => secretIn(text) === undefined, { error: secretProblem }),
  ),
  username: z.optional(requiredName("the name of a database user")),
  password: z.optional(z.string(mustBe("the password of the database user"))),
  database: z.optional(requiredName("the name of a database")),
  options: z.optional(
    z.pipe(
      z.custom<NonNullable<UrlArgs["options"]>>(
        hasNoPrototype,
        "must not contain the name __proto__. Remove it",
      ),
      z.record(z.string(), option, mustBe("an object with the options to add")),
    ),
  ),
} satisfies SchemasOf<UrlArgs>);
