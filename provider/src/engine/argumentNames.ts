/** Names of arguments that do not exist, each with the right one. */
import type { core } from "../zod";
import { escapeText } from "../api/escapeText";
import { suggestion } from "./nearest";

/**
 * The message for arguments that do not exist, for `safeParse(args, { error: unknownArguments })`.
 * Other problems keep the schema's message.
 *
 * @param issue what zod found
 * @returns such as `there is no argument "network.endPointId"; did you mean network.endpointId?`, or
 *   undefined for another problem
 */
export function unknownArguments(issue: core.$ZodRawIssue): string | undefined {
  if (issue.code !== "unrecognized_keys") return undefined;
  const known = namesIn(issue.inst);
  const prefix = (issue.path ?? []).map((part) => `${String(part)}.`).join("");
  return issue.keys.map((key) => unknownArgument(key, known, prefix)).join("\n");
}

/**
 * The message for one argument that does not exist.
 *
 * @param name the name that was given
 * @param known the names of the arguments
 * @param prefix the path of the object that holds them, with a dot behind it. Default: none.
 */
export function unknownArgument(
  name: string,
  known: readonly string[],
  prefix: string = "",
): string {
  const asked = escapeText(`${prefix}${name}`);
  return `there is no argument "${asked}"; ${suggestion(name, known, prefix)}`;
}

/**
 * The names of a schema's properties: zod hands over the schema that raised the issue. Its class is
 * not asked for, as naming it would put all of zod into the bundle.
 */
function namesIn(schema: core.$ZodRawIssue["inst"]): string[] {
  const definition = schema?._zod.def;
  if (definition === undefined || !("shape" in definition)) return [];
  const { shape } = definition;
  return typeof shape === "object" && shape !== null ? Object.keys(shape) : [];
}
