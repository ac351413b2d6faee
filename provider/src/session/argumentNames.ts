/** Messages about unknown arguments, with a suggestion. */
import type { core } from "../api/zod";
import { escapeText } from "../api/text";
import { suggestion } from "./nearest";

/**
 * Returns the message for unknown arguments, for `safeParse(args, { error: unknownArguments })`.
 * Other problems keep the schema's message.
 *
 * @param issue the issue that zod reports
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
 * Returns the message for one unknown argument.
 *
 * @param name the name of the unknown argument
 * @param known the names of the existing arguments
 * @param prefix the path of the object that contains them, followed by a dot. Default: none
 * @returns such as `there is no argument "clustername"; did you mean clusterName?`
 */
export function unknownArgument(
  name: string,
  known: readonly string[],
  prefix: string = "",
): string {
  const path = escapeText(`${prefix}${name}`);
  return `there is no argument "${path}"; ${suggestion(name, known, prefix)}`;
}

/**
 * Returns the property names of the schema that raised the issue. Does not check the class of the
 * schema, because referencing it would add all of zod to the bundle.
 */
function namesIn(schema: core.$ZodRawIssue["inst"]): string[] {
  const definition = schema?._zod.def;
  if (definition === undefined || !("shape" in definition)) return [];
  const { shape } = definition;
  return typeof shape === "object" && shape !== null ? Object.keys(shape) : [];
}
