/**
 * The resource DatabaseUrl, a connection string with the credentials of a database user. It is not a function,
 * because a function's direct form returns plain text in most languages, which programs then record
 * (docs/internals/decisions.md#0020-database-url). Sends no request, and works in previews.
 */
import { isDeepStrictEqual } from "node:util";
import {
  ConnectionStringError,
  type DatabaseCredentials,
  type OptionValue,
  withCredentials,
} from "clouddb-connection-strings";
import * as z from "zod/mini";
import {
  type CheckFailure,
  type DiffResult,
  type Lifecycle,
  type PropertyBag,
  type SchemasOf,
  ProviderError,
  containsUnknown,
  mustBe,
  zodMessages,
  readInputs,
  readState,
  requiredName,
  unknownMarker,
  withReportedErrors,
} from "../../provider/src/runtimeHost";
import { secret } from "./properties";

/** The arguments of `DatabaseUrl`. */
export interface DatabaseUrlArgs extends Omit<DatabaseCredentials, "options"> {
  /** A connection string without credentials, such as the output `recommended` of `ClusterConnectionStrings`. */
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
   * these, which repeat the option.
   *
   * @default no options
   */
  readonly options?: Record<string, OptionValue | readonly OptionValue[]> | undefined;
}

/** The outputs of `DatabaseUrl` that are not arguments. */
export interface DatabaseUrlOutputs {
  /**
   * The connection string with the percent-encoded credentials and the options.
   *
   * @secret
   */
  readonly url: string;
}

const optionValue = z.union([z.string(), z.number(), z.boolean()]);

const args = z.strictObject({
  connectionString: z.string(mustBe("a connection string")),
  username: z.optional(requiredName("the name of a database user")),
  password: z.optional(z.string(mustBe("the password of the database user"))),
  database: z.optional(requiredName("the name of a database")),
  options: z.optional(
    z.record(
      z.string(),
      z.union(
        [optionValue, z.array(optionValue)],
        mustBe("text, a number, a boolean or a list of these"),
      ),
      mustBe("an object with the options to add"),
    ),
  ),
} satisfies SchemasOf<DatabaseUrlArgs>);

/**
 * Adds a database user's credentials to a connection string.
 *
 * The user name and the password are percent-encoded. Everything else is unchanged. The password and the result are
 * secrets: Pulumi encrypts them in the state and hides them in its output. Sends no request, and creates no database
 * user.
 */
export const databaseUrl: Lifecycle = withReportedErrors({
  check: (_olds, news) =>
    Promise.resolve({ inputs: withSecretPassword(news), failures: failuresOf(news) }),
  diff: (_id, olds, news) => Promise.resolve(diffUrls(olds, news)),
  // As for other resources that only compute a value, the ID has no meaning.
  create: (inputs) => Promise.resolve({ id: "none", outs: outputsOf(inputs) }),
  read: (id, { url, ...inputs }) => {
    if (Object.keys(inputs).length === 0) throw notImportable();
    readState(z.object(args.shape), inputs, "this DatabaseUrl resource");
    return Promise.resolve({ id, props: outputsOf(inputs), inputs: withSecretPassword(inputs) });
  },
  update: (_id, _olds, news) => Promise.resolve({ outs: outputsOf(news) }),
  delete: () => Promise.resolve(),
});

/** Returns failures that name no property, because the engine prints its value, which may be the password. */
function failuresOf(news: PropertyBag): CheckFailure[] {
  const inputs = readInputs(args, news);
  if (inputs.kind === "unknown") return [];
  if (inputs.kind === "invalid") {
    return inputs.failures.map((failure) => ({ ...failure, property: "" }));
  }
  urlOf(inputs.args);
  return [];
}

function diffUrls(olds: PropertyBag, news: PropertyBag): DiffResult {
  const changed = Object.keys(args.shape).filter(
    (name) => containsUnknown(news[name]) || !isDeepStrictEqual(olds[name], news[name]),
  );
  return { changes: changed.length > 0, changed, replaces: [] };
}

function urlOf({ connectionString, ...credentials }: z.output<typeof args>): string {
  try {
    return withCredentials(connectionString, credentials);
  } catch (error) {
    if (!(error instanceof ConnectionStringError)) throw error;
    throw new ProviderError(`cannot add the credentials, because ${error.message}`);
  }
}

/** Returns the arguments with the result, which a preview does not know while an argument is unknown. */
function outputsOf(inputs: PropertyBag): PropertyBag & Record<keyof DatabaseUrlOutputs, unknown> {
  const url = containsUnknown(inputs) ? unknownMarker : urlOf(args.parse(inputs, zodMessages));
  return { ...withSecretPassword(inputs), url: secret(url) };
}

function withSecretPassword({ password, ...others }: PropertyBag): PropertyBag {
  return password === undefined ? others : { ...others, password: secret(password) };
}

function notImportable(): ProviderError {
  return new ProviderError(
    "a DatabaseUrl exists only in the state and cannot be imported. Declare it in the program. Creating it changes nothing in the service.",
  );
}
