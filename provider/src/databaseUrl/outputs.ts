/**
 * The outputs of a DatabaseUrl. Programs load this file, so it does not use zod
 * (docs/internals/decisions.md#0014-measured-optimizations).
 */
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
export const outputs = [
  "connectionString",
  "username",
  "password",
  "database",
  "options",
  "url",
] as const satisfies readonly (keyof (UrlArgs & UrlOutputs))[];
