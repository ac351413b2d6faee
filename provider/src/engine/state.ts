/** Reads what the state has recorded of a resource. */
import type * as z from "../zod";
import { escapeText } from "../api/escapeText";
import { ProviderError } from "./errors";
import type { PropertyBag } from "./lifecycle";

/**
 * Reads recorded properties by their schema.
 *
 * @param resource what the resource is, for the message
 * @throws ProviderError that names every property of a wrong type, and how to repair the state
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
      `the state of ${escapeText(resource)} was edited or damaged: these properties have the wrong type:`,
      ...wrong.slice(0, 10),
      "Correct them with `pulumi stack export --file state.json`, an editor and `pulumi stack import --file state.json`, or take the resource out of the state with `pulumi state delete <URN>`: the next `pulumi up` creates it anew from what the service has.",
    ].join("\n"),
  );
}
