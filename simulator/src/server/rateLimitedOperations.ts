/** Validates the setting `rateLimitedOperations`: the rate limit counts only requests to projects. */
import { operations } from "../operations/operations";
import type { Settings } from "../seed/options";
import { SeedError } from "../seed/seedError";

/**
 * Checks that every operation of the setting can be rate-limited.
 *
 * @param settings the settings
 * @throws SeedError if a name is unknown, or names an operation that is not on a project
 */
export function checkRateLimitedOperations({ rateLimitedOperations = [] }: Settings): void {
  const supported = operations.filter(({ scope }) => scope === "project").map(({ name }) => name);
  const problems = rateLimitedOperations.flatMap((name, index) =>
    supported.includes(name)
      ? []
      : [`  rateLimitedOperations[${index}]: "${name}" is not an operation on a project`],
  );
  if (problems.length === 0) return;
  throw new SeedError(
    `The configuration is not valid:\n${problems.join("\n")}\n` +
      `Operations on a project: ${supported.join(", ")}.`,
  );
}
