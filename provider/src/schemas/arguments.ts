/** Validates the arguments of resources and functions. */
import { argumentProblem, escapeText, problemsOf, unsafeCharacters } from "../messages/text";
import * as z from "./zod";
import { ProviderError } from "../messages/errors";
import { describeIssue, mustBeMessage } from "./schemaErrors";
import { suggestion } from "../messages/nearest";

/**
 * A schema for each property of a type, which accepts only the property's type. Holds a public type and its
 * schema together: `{ ... } satisfies SchemasOf<PublicArgs>` only compiles if both have the same properties.
 * The type does not derive from the schema, because the compiler of a user's program would then check zod.
 */
export type SchemasOf<Properties> = {
  readonly [Name in keyof Required<Properties>]: z.ZodMiniType<unknown, Properties[Name]>;
};

/** Validates the arguments of a function. Throws a {@link ProviderError} that names every invalid argument. */
export function readArguments<T>(schema: z.ZodMiniType<T>, description: string, args: unknown): T {
  const parsed = schema.safeParse(args, { error: unknownArguments });
  const problem = outputInText(args) ?? (parsed.success ? undefined : problemsOf(parsed.error));
  if (problem === undefined && parsed.success) return parsed.data;
  throw new ProviderError(`invalid ${description}: ${problem}`, { code: "argument" });
}

/** How the text begins that Pulumi's SDKs write in place of an output. */
const outputAsText = /Calling \S+ on an \[?Output[<[]T/;

/**
 * Returns what is wrong if a text in the arguments has an output in it, and which one, but not the text, which may be half
 * of a URL with a password.
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

/** Returns the error of a schema; see {@link mustBeMessage}. */
export function mustBe(description: string, accepted?: string) {
  return {
    error: ({ input }: z.core.$ZodRawIssue) => mustBeMessage(input, description, accepted),
  };
}

/** Creates the schema of a name whose messages begin with `must be` and the description. */
export function requiredName(description: string) {
  const isVisible = (text: string) => text.search(unsafeCharacters) === -1;
  return z
    .string(mustBe(description))
    .check(
      z.minLength(1, `must be ${description}, not empty`),
      z.refine(isVisible, `must be ${description}, without control or invisible characters`),
    );
}

/** The schema of a project ID, which becomes a segment of a path (RFC 3986 2.3 and 3.3). */
export const projectIdSchema = z.string(mustBe("a project ID")).check(
  z.minLength(1, { error: "must be a project ID, not empty", abort: true }),
  z.regex(/^[\w.~-]+$/, "must be a project ID, with only ASCII letters, digits, -, ., _ and ~"),
  z.refine((id) => !/^\.\.?$/.test(id), "must be a project ID, not . or .."),
);

/** Validates a project ID that is not an argument, such as the ID of an import. Throws a ProviderError. */
export function readProjectId(id: string, description = `ID "${escapeText(id)}"`): string {
  return readArguments(projectIdSchema, description, id);
}

/**
 * Returns the message for unknown arguments, for `safeParse(args, { error: unknownArguments })`, such as
 * `there is no argument "network.endPointId"; did you mean network.endpointId?`. Other problems have
 * the schema's message, or plain words.
 */
export function unknownArguments(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== "unrecognized_keys") return describeIssue(issue);
  const known = namesIn(issue.inst);
  const prefix = (issue.path ?? []).map((part) => `${String(part)}.`).join("");
  return issue.keys.map((key) => unknownArgument(key, known, prefix)).join("\n");
}

/** Returns the message for an unknown argument. `prefix` is the path of its object, with a final dot. */
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
function namesIn(schema: z.core.$ZodRawIssue["inst"]): string[] {
  const definition = schema?._zod.def;
  if (definition === undefined || !("shape" in definition)) return [];
  const { shape } = definition;
  return typeof shape === "object" && shape !== null ? Object.keys(shape) : [];
}
