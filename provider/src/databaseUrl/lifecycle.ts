/**
 * The lifecycle of DatabaseUrl, which adds a database user's credentials to a connection string. It owns nothing and
 * sends no request. It is a resource and no function, so that a preview shows what changes
 * (docs/internals/decisions.md#0020-database-url).
 */
import { isDeepStrictEqual } from "node:util";
import {
  ConnectionStringError,
  type UrlWithWarnings,
  addCredentials,
} from "clouddb-connection-strings";
import {
  containsUnknown,
  dropCopiedOutputs,
  invalidByPolicy,
  readInputs,
  secret,
  withoutProvider,
} from "../host/inputs";
import type { CheckResult, DiffResult, Lifecycle, PropertyBag } from "../host/lifecycle";
import { type Log, ProviderError } from "../messages/errors";
import { isObject, withoutNulls } from "../validation/values";
import type * as z from "zod/mini";
import { argsSchema } from "./args";
import type { UrlOutputs } from "./outputs";
import { hasSecretOption } from "./secretOptions";

/** Creates the lifecycle; `log` receives warnings about the arguments. */
export function databaseUrlLifecycle(log: Log): Lifecycle {
  return {
    check: (olds, news) => checkUrl(dropCopiedOutputs(argsSchema, olds, withoutNulls(news)), log),
    diff: (_id, olds, news) => Promise.resolve(diffUrls(olds, news)),
    // As for other resources that only compute a value, the ID has no meaning.
    create: (inputs) => Promise.resolve({ id: "none", outs: outputsOf(inputs) }),
    update: (_id, _olds, news) => Promise.resolve({ outs: outputsOf(news) }),
    read(id, props) {
      const { url, ...args } = withSecrets(props);
      if (url === undefined) throw notReadable();
      // Without inputs, a refresh keeps the recorded ones.
      return Promise.resolve({ id, props: { ...args, url: secret(url) } });
    },
    delete: () => Promise.resolve(),
  };
}

/**
 * Validates the arguments, adds the URL, so that a preview knows it, and warns about what is not refused. Returns
 * failures that name no property, because the engine prints its value, which may be a secret.
 */
async function checkUrl(news: PropertyBag, log: Log): Promise<CheckResult> {
  const inputs = readInputs(argsSchema, news);
  if (inputs.kind === "invalid") {
    return { failures: inputs.failures.map((failure) => ({ ...failure, property: "" })) };
  }
  if (inputs.kind === "unknown") return { inputs: withSecrets(news) };
  const { url, warnings } = urlOf(inputs.args);
  for (const { problem, advice } of warnings)
    await log("warning", `in the URL of a DatabaseUrl, ${problem}. ${advice}`, "argument");
  return { inputs: withUrl(news, url) };
}

/** Compares the arguments. One that is not known yet counts as changed. */
function diffUrls(olds: PropertyBag, news: PropertyBag): DiffResult {
  const changed = Object.keys(argsSchema.shape).filter(
    (name) => containsUnknown(news[name]) || !isDeepStrictEqual(olds[name], news[name]),
  );
  return { changes: changed.length > 0, changed, replaces: [] };
}

/** Adds the credentials. Throws a ProviderError for what a connection string cannot have. */
function urlOf({ connectionString, ...credentials }: z.output<typeof argsSchema>): UrlWithWarnings {
  try {
    return addCredentials(connectionString, credentials);
  } catch (error) {
    if (!(error instanceof ConnectionStringError)) throw error;
    throw new ProviderError(`cannot add the credentials, because ${error.message}`, {
      code: "argument",
    });
  }
}

/**
 * Returns what an update records. Replaces the URL that `check` made, because a policy can change arguments after it.
 * While an argument is unknown, a preview does not know the URL, either.
 */
function outputsOf({ url: _checked, ...inputs }: PropertyBag): PropertyBag {
  const read = readInputs(argsSchema, inputs);
  if (read.kind === "invalid") {
    throw invalidByPolicy(read.failures.map(({ reason }) => reason).join("; "));
  }
  const args = withoutProvider(inputs);
  return read.kind === "unknown" ? withSecrets(args) : withUrl(args, urlOf(read.args).url);
}

/** Adds the URL to the arguments, and marks the secrets. */
function withUrl(args: PropertyBag, url: string): PropertyBag {
  const computed: Record<keyof UrlOutputs, unknown> = { url: secret(url) };
  return { ...withSecrets(args), ...computed };
}

/** Marks the password and secret options. Marks each option, because Pulumi 3.274 drops the mark of an object. */
function withSecrets({ password, options, ...others }: PropertyBag): PropertyBag {
  const isSecretOptions = isObject(options) && hasSecretOption(options);
  const marked = isSecretOptions
    ? Object.fromEntries(Object.entries(options).map(([name, value]) => [name, secret(value)]))
    : options;
  return {
    ...others,
    ...(password === undefined ? {} : { password: secret(password) }),
    ...(options === undefined ? {} : { options: marked }),
  };
}

/** The error of an import, which has no arguments to compute the URL from. */
function notReadable(): ProviderError {
  return new ProviderError(
    "a DatabaseUrl exists only in the state, so it cannot be imported, or read by its ID. Declare it in the program. Creating it changes nothing in the service.",
  );
}
