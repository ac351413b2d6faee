/** Validates arguments. One error names all that are invalid, with the expected type or the nearest name. */
import { argumentProblem, escapeText, problemsOf, unsafeCharacters } from "../messages/text";
import * as z from "zod/mini";
import { ProviderError } from "../messages/errors";
import { nearestName, suggestion } from "../messages/recommendations";
import { describeIssue, isObject, mustBe, withoutNulls } from "./values";

/**
 * A schema for each property of a type, which accepts only the property's type. Schemas that satisfy
 * `SchemasOf<PublicArgs>` only compile if the public type has the same properties. The type is not derived from the
 * schemas, because the compiler of a user's program would then check zod
 * (docs/internals/decisions.md#0018-types-and-schemas).
 */
export type SchemasOf<Properties> = {
  readonly [Name in keyof Required<Properties>]: z.ZodMiniType<unknown, Properties[Name]>;
};

/** Validates the arguments of a function. Throws a {@link ProviderError} that names every invalid argument. */
export function readArguments<T>(schema: z.ZodMiniType<T>, description: string, args: unknown): T {
  const given = isObject(args) ? withoutNulls(args) : args;
  const parsed = schema.safeParse(given, { error: unknownArguments });
  const { success, error } = parsed;
  const problem =
    outputInText(args) ??
    (success
      ? undefined
      : problemsOf({ issues: relevantIssues(error.issues, namesIn(schema), given) }));
  if (problem === undefined && success) return parsed.data;
  throw new ProviderError(`invalid ${description}: ${problem}`, { code: "argument" });
}

/**
 * Puts unknown arguments first, which often explain why another one is missing, and leaves out a missing one if a
 * misspelled name was passed instead.
 */
export function relevantIssues(
  issues: readonly z.core.$ZodIssue[],
  names: readonly string[],
  args: unknown,
): z.core.$ZodIssue[] {
  const unknown = issues.filter((issue) => issue.code === "unrecognized_keys");
  const ofArguments = unknown.filter(({ path }) => path.length === 0);
  const meant = ofArguments.flatMap(({ keys }) => keys.map((key) => nearestName(key, names)));
  const isPassed = (name: string) => isObject(args) && Object.hasOwn(args, name);
  const others = issues.filter(({ code, path: [name] }) => {
    if (code === "unrecognized_keys") return false;
    return typeof name !== "string" || isPassed(name) || !meant.includes(name);
  });
  return [...unknown, ...others];
}

/** Matches the text that Pulumi's SDKs write in place of an output, where it begins. */
const outputAsText = /Calling \S+ on an \[?Output[<[]T/;

/**
 * Returns the problem with the first text into which a program converted an output; undefined if there is none. Does
 * not quote the text, which may be half of a URL with a password.
 */
export function outputInText(value: unknown, path: readonly string[] = []): string | undefined {
  if (typeof value === "string" && outputAsText.test(value)) {
    const remedy = "Build the text with pulumi.interpolate or apply.";
    const problem = `contains an output of Pulumi that the program converted to text. ${remedy}`;
    return argumentProblem(path.join("."), problem);
  }
  if (typeof value !== "object" || value === null) return undefined;
  const parts = Object.entries(value).map(([name, part]) => outputInText(part, [...path, name]));
  return parts.find((problem) => problem !== undefined);
}

/** Creates the schema of a name whose messages begin with `must be` and the description. */
export function requiredName(description: string) {
  const isVisible = (text: string) => text.search(unsafeCharacters) === -1;
  return z.string(mustBe(description)).check(
    // Not z.minLength, which also checks the length of an output or another object.
    z.refine((text) => text !== "", `must be ${description}, not empty`),
    z.refine(isVisible, `must be ${description}, without control or invisible characters`),
  );
}

/** The schema of a project ID, which becomes a segment of a path (RFC 3986 2.3 and 3.3). */
export const projectIdSchema = z.string(mustBe("a project ID")).check(
  z.minLength(1, { error: "must be a project ID, not empty", abort: true }),
  z.regex(/^[\w.~-]+$/, "must be a project ID, with only ASCII letters, digits, -, ., _ and ~"),
  z.refine((id) => id !== "." && id !== "..", "must be a project ID, not . or .."),
);

/** Validates a project ID that is not an argument, such as the ID of an import. Throws a ProviderError. */
export function readProjectId(id: string, description = `ID "${escapeText(id)}"`): string {
  return readArguments(projectIdSchema, description, id);
}

/** Returns the message for unknown arguments, with their paths and the nearest names, or else the schema's. */
export function unknownArguments(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== "unrecognized_keys") return describeIssue(issue);
  const names = namesIn(issue.inst);
  const prefix = (issue.path ?? []).map((part) => `${String(part)}.`).join("");
  return issue.keys.map((key) => unknownArgument(key, names, prefix)).join("\n");
}

/** Returns the message for an unknown argument. `prefix` is the path of its object, with a final dot. */
export function unknownArgument(
  name: string,
  names: readonly string[],
  prefix: string = "",
): string {
  const path = escapeText(`${prefix}${name}`);
  return `there is no argument "${path}"; ${suggestion(name, names, prefix)}`;
}

/**
 * Returns the names of a schema's properties. Reads zod's definition of the schema, because a reference to the schema's
 * class would add all of zod to the bundle.
 */
function namesIn(schema: z.core.$ZodRawIssue["inst"] | z.ZodMiniType): string[] {
  const definition = schema?._zod.def;
  if (definition === undefined || !("shape" in definition)) return [];
  const { shape } = definition;
  return typeof shape === "object" && shape !== null ? Object.keys(shape) : [];
}
