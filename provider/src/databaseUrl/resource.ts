/** The resource class for programs. */
import { escapeText } from "../messages/text";
import { ClouddbResource, type OutputsOf, isOfClass } from "../program/clouddbResource";
import { isMocked, runError } from "../program/run";
import * as pulumi from "../program/sdk";
import type { DatabaseUrlArgs, UrlArgs } from "./args";
import { type UrlOutputs, outputs } from "./outputs";
import { hasSecretOption } from "./secretOptions";

// The outputs, which are the arguments and the URL. Editors would show a comment in JSDoc in front of that of the class.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging, typescript/no-empty-object-type -- the SDK assigns the outputs
export interface DatabaseUrl extends OutputsOf<UrlArgs & UrlOutputs> {}

/**
 * Adds a database user's credentials to a connection string.
 *
 * The user name and the password are percent-encoded. Everything else is unchanged, except for a scheme in capitals, a
 * missing slash before options, and the `authSource` of a user without a password or with `PLAIN`, which becomes
 * `$external`. The password and the URL are secrets. Pulumi encrypts them in the state and hides them in its output. A
 * preview shows which of the other arguments change, and fails if drivers would refuse the URL. Sends no request, and
 * creates no database user.
 *
 * @example
 * const database = new clouddb.DatabaseUrl("orders", {
 *   connectionString: orders.recommended,
 *   username: "app",
 *   password: config.requireSecret("databasePassword"),
 * });
 * export const DATABASE_URL = database.url;
 */
export class DatabaseUrl extends ClouddbResource {
  /**
   * Returns whether a value is such a resource, for example in a policy pack.
   *
   * @param value any value
   */
  static override isInstance(value: unknown): value is DatabaseUrl {
    return isOfClass("DatabaseUrl", value);
  }

  /**
   * Adds a database user's credentials to a connection string.
   *
   * @param name the name of the resource
   * @param args the connection string, and what to add to it
   * @param options Pulumi's resource options
   */
  constructor(name: string, args: DatabaseUrlArgs, options: pulumi.CustomResourceOptions = {}) {
    // Programs in JavaScript can pass null, or omit the arguments, which `check` then reports.
    const properties: pulumi.Inputs = { ...args };
    const { additionalSecretOutputs = [], ...others }: pulumi.CustomResourceOptions = {
      ...options,
    };
    rejectPrototype(name, properties["options"]);
    // Without this, the state would contain an input in plain text that the program passes so.
    if (properties["password"] !== undefined)
      properties["password"] = pulumi.secret(properties["password"]);
    properties["options"] = pulumi
      .output(properties["options"])
      .apply((values: unknown) => (hasSecretOption(values) ? pulumi.secret(values) : values));
    super("DatabaseUrl", name, properties, outputs, {
      ...others,
      additionalSecretOutputs: ["url", ...additionalSecretOutputs],
    });
    if (isMocked()) Reflect.set(this, "url", this.url.apply(mockedUrl));
  }
}

/** Rejects an option that Pulumi would drop. */
function rejectPrototype(name: string, options: unknown): void {
  if (typeof options !== "object" || options === null || !Object.hasOwn(options, "__proto__"))
    return;
  throw runError(
    `the options of the DatabaseUrl "${escapeText(name)}" must not contain the name __proto__. Remove it.`,
    "argument",
  );
}

/** Explains a missing URL in a unit test, in which no provider runs. */
function mockedUrl(url: string | undefined): string {
  if (url !== undefined) return url;
  throw runError(
    'the url of a DatabaseUrl is undefined. Under pulumi.runtime.setMocks, an output has only the value that the mock returns, such as url: "db+srv://app:password@orders.example" in the state from newResource',
  );
}
