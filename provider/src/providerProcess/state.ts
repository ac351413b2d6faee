/** Reads the recorded state of a resource. */
import type * as z from "../api/zod";
import { escapeText } from "../api/text";
import { ProviderError } from "../session/errors";
import type { PropertyBag } from "./lifecycle";

/**
 * Validates recorded properties.
 *
 * @param schema accepts the properties that any released version recorded
 * @param properties the recorded properties from the engine
 * @param resource the description of the resource, for the message
 * @returns the properties with the defaults of the schema
 * @throws ProviderError that names every property with the wrong type, and how to repair the state
 */
export function readState<T>(
  schema: z.ZodMiniType<T>,
  properties: PropertyBag,
  resource: string,
): T {
  const parsed = schema.safeParse(properties);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(
    ({ path, message }) => `  ${escapeText(path.join("."), 100)}: ${escapeText(message, 200)}`,
  );
  throw new ProviderError(
    [
      `the state of ${escapeText(resource)} was edited or damaged. These properties have the wrong type:`,
      ...wrong.slice(0, 10),
      "To correct them, run `pulumi stack export --file state.json`, edit the file and run `pulumi stack import --file state.json`. Alternatively, remove the resource from the state with `pulumi state delete <URN>`: the next `pulumi up` recreates it from the service.",
    ].join("\n"),
  );
}
