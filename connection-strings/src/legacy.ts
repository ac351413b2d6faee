/**
 * Legacy connection strings, used before 31 March 2020. They differ from the standard ones by one
 * character: a hyphen before the project label, where current strings have a period (service
 * document 2.6 rule 1).
 */
import { type ClassifyOptions, classify } from "./classification";
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
import { format, parse } from "./parsing";

/**
 * Returns whether a string is the legacy form of a standard or peering-private string, which
 * {@link legacyToStandard} converts (service document 2.6 rule 1). Returns false for private endpoint strings from
 * before 2020, which have no standard form. For these, `classify` returns kind `privateEndpoint` with `legacy: true`.
 *
 * @param connectionString the string, in either form
 * @param options the service's cluster domain, if it is known
 * @default options: a domain of two labels is assumed
 * @returns true for a legacy string; false for any other text. Never throws.
 * @example
 * isLegacy("db+srv://orders-ab1cd.db.example"); // true
 */
export function isLegacy(connectionString: string, options?: ClassifyOptions): boolean {
  return classify(connectionString, options).kind === "legacy";
}

/**
 * Converts a legacy string to the standard string that replaced it (service document 2.6 rule 1). Only
 * the hyphen before the project label changes, once per host. If the service returns the standard string
 * of the cluster, use that one instead.
 *
 * @param connectionString the legacy string, in either form
 * @param options the service's cluster domain, if it is known
 * @default options: a domain of two labels is assumed
 * @returns the standard string
 * @throws {@link ConnectionStringError} with code `not-legacy` for any other string, and for private
 * endpoint strings from before 2020
 * @example
 * legacyToStandard("db+srv://orders-ab1cd.db.example"); // "db+srv://orders.ab1cd.db.example"
 */
export function legacyToStandard(connectionString: string, options?: ClassifyOptions): string {
  const classification = classify(connectionString, options);
  if (classification.kind !== "legacy") {
    throw new ConnectionStringError(
      codes.notLegacy,
      "the connection string is not a legacy string, because legacy host names have a hyphen before the project label",
    );
  }
  const parsed = parse(connectionString);
  const hosts = parsed.hosts.map((host) => ({ ...host, name: withPeriod(host.name) }));
  return format({ ...parsed, hosts });
}

/** Replaces the last hyphen of the first label with a period, because a project label contains no hyphen. */
function withPeriod(name: string): string {
  return name.replace(/^([^.]+)-([^.-]+)/, "$1.$2");
}
