/** The outputs of a DatabaseUrl, and which options are secrets. Programs load this file, so it does not use zod. */
import type { UrlArgs } from "./args";

/** The output that is not an argument. */
export interface UrlOutputs {
  /**
   * The connection string with the percent-encoded credentials and the options.
   *
   * @secret
   */
  readonly url: string;
}

/** The names of all outputs. @internal */
export const outputs: readonly string[] = Object.keys({
  connectionString: undefined,
  username: undefined,
  password: undefined,
  database: undefined,
  options: undefined,
  url: undefined,
} satisfies Record<keyof (UrlArgs & UrlOutputs), undefined>);

/** Options whose values are secrets, in lower case, because drivers ignore the case. */
const secretOptions = ["proxypassword", "tlscertificatekeyfilepassword", "authmechanismproperties"];

/** Returns whether the value of an option is a secret. @internal */
export function hasSecretOption(options: unknown): boolean {
  const names = Object.keys(options ?? {});
  return names.some((name) => secretOptions.includes(name.toLowerCase()));
}
