/**
 * Legacy connection strings, used before 31 March 2020. They differ from the standard ones by one
 * character: a hyphen before the project label, where now there is a period (service document 2.6
 * rule 1).
 */
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
import { type ClassifyOptions, classify } from "./kinds";
import { format, parse } from "./parsing";

/** True for a legacy string, in either form. Throws nothing: other text is not legacy. */
export function isLegacy(connectionString: string, options?: ClassifyOptions): boolean {
  return classify(connectionString, options).kind === "legacy";
}

/**
 * The standard string that a legacy one became. All else in it stays as it is. Where the service
 * gives the cluster's standard string, use that one.
 *
 * Throws {@link ConnectionStringError} with code `not-legacy` for any other string.
 */
export function legacyToStandard(connectionString: string, options?: ClassifyOptions): string {
  const classification = classify(connectionString, options);
  if (classification.kind !== "legacy") {
    throw new ConnectionStringError(
      codes.notLegacy,
      "the connection string is not a legacy one, whose host names have a hyphen before the project label",
    );
  }
  const parsed = parse(connectionString);
  const hosts = parsed.hosts.map((host) => ({ ...host, name: withPeriod(host.name) }));
  return format({ ...parsed, hosts });
}

/** The last hyphen of the first label becomes a period: a project label holds none itself. */
function withPeriod(name: string): string {
  return name.replace(/^([^.]+)-([^.-]+)/, "$1.$2");
}
