/**
 * The authentication mechanisms of drivers. Each decides whether a user needs a name and a password, and in which
 * source, the option `authSource`, drivers look for the user.
 */
import { optionConflict } from "./errors";
import { optionKey, optionsIn, percentEncode } from "./options";
import type { RequestedOption } from "./requestedOptions";

/** The mechanisms that identify a user by a certificate, a role or a token. */
export const mechanismsWithoutName: readonly string[] = [
  "MONGODB-X509",
  "MONGODB-AWS",
  "MONGODB-OIDC",
];

export const mechanismsWithoutPassword: readonly string[] = [...mechanismsWithoutName, "GSSAPI"];

/** The source of users that are not defined in a database. */
const externalSource = "$external";

/** The options of a string, and those to add to it. */
export interface OptionSet {
  /** The text after the question mark. */
  readonly inString: string | undefined;
  readonly requested: readonly RequestedOption[];
}

/**
 * Returns the options with the source of a mechanism. Service strings name the source of users with a password,
 * `admin`. For any other user, drivers refuse that source, or with `PLAIN` look for the user in the wrong place. Throws
 * if the caller passes a source that drivers refuse.
 */
export function withSourceOf(mechanism: string, { inString, requested }: OptionSet): OptionSet {
  const passed = requested.find(({ key }) => key === sourceKey);
  if (mechanism === "PLAIN") {
    const source = passed ?? externalSourceOption;
    // Without a source, drivers would use the database in the path or in DNS.
    const all = passed === undefined ? [...requested, source] : requested;
    return { inString: withSource(inString, source.value), requested: all };
  }
  if (!mechanismsWithoutPassword.includes(mechanism)) return { inString, requested };
  if (passed?.values.some((source) => source !== externalSource)) {
    throw optionConflict(
      `the mechanism ${mechanism} has only the authSource ${externalSource}. Omit authSource, or pass ${externalSource}`,
    );
  }
  return { inString: withSource(inString, externalSource), requested };
}

const sourceKey = optionKey("authSource");
const externalSourceOption: RequestedOption = {
  key: sourceKey,
  name: "authSource",
  values: [externalSource],
  value: externalSource,
};

/**
 * Returns the options with this source instead of any other. Adds none, so that the URLs of strings without a source do
 * not change.
 */
function withSource(options: string | undefined, source: string): string | undefined {
  const existing = optionsIn(options);
  const first = existing.findIndex(({ key }) => key === sourceKey);
  if (existing.every(({ key, value }) => key !== sourceKey || value === source)) return options;
  return existing
    .flatMap(({ key, whole }, index) => {
      if (key !== sourceKey) return whole;
      // Drivers refuse an option that a string contains twice.
      return index === first ? `authSource=${percentEncode(source)}` : [];
    })
    .join("&");
}
