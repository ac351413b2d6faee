/** Reads the lines of an event log. Rejects a log that is damaged, or that another command printed. */
import * as z from "zod/mini";
import { ProviderError } from "../../messages/errors";
import { problemsOf } from "../../messages/text";
import { jsonOrUndefined, zodMessages } from "../../validation/values";
import { urnSchema } from "../resourceNames";

export const properties = z.nullish(z.record(z.string(), z.unknown()));
export const texts = z.nullish(z.array(z.string()));
const stateSchema = z.nullable(
  z.object({
    urn: z.optional(z.string()),
    inputs: properties,
    outputs: properties,
    hideDiffs: z.optional(z.array(z.string())),
    /** Whether an update replaced the resource, and did not delete this one yet. */
    delete: z.optional(z.boolean()),
    retainOnDelete: z.optional(z.boolean()),
  }),
);
const stepEvent = z.optional(
  z.object({
    metadata: z.object({
      op: z.string(),
      urn: urnSchema,
      old: stateSchema,
      new: stateSchema,
      diffs: texts,
    }),
  }),
);
const eventSchema = z.object({
  sequence: z.number(),
  resourcePreEvent: stepEvent,
  resOutputsEvent: stepEvent,
  diagnosticEvent: z.optional(
    z.object({
      urn: z.optional(z.string()),
      message: z.string(),
      severity: z.string(),
      ephemeral: z.optional(z.boolean()),
    }),
  ),
  policyEvent: z.optional(
    z.object({
      resourceUrn: z.optional(z.string()),
      message: z.string(),
      policyName: z.string(),
      enforcementLevel: z.string(),
    }),
  ),
  policyRemediationEvent: z.optional(
    z.object({
      resourceUrn: z.string(),
      policyName: z.string(),
      before: properties,
      after: properties,
    }),
  ),
  errorEvent: z.optional(z.object({ error: z.string() })),
  summaryEvent: z.optional(
    z.object({
      result: z.optional(z.string()),
      /** How many resources have each operation, without the internal ones. */
      resourceChanges: z.nullish(z.record(z.string(), z.number())),
    }),
  ),
});

export type Event = z.infer<typeof eventSchema>;
/** The properties of a resource before or after a step. */
export type State = z.infer<typeof stateSchema>;
/** A change that a policy makes to the properties of a resource after `check`. */
export type Remediation = NonNullable<Event["policyRemediationEvent"]>;
/** What an event says of a step. */
export type Metadata = NonNullable<Event["resourcePreEvent"]>["metadata"];

/** Yields the event on each line. Throws if the log has none, or if a line before the last one is damaged. */
export function* eventsIn(text: string, name: string): Generator<Event> {
  let isEmpty = true;
  let damaged: number | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const number = index + 1;
    if (line.trim() === "") continue;
    // The line is not quoted, because it may contain a secret.
    if (damaged !== undefined) throw notJson(name, damaged);
    const value = jsonOrUndefined(line);
    if (value === undefined) {
      damaged = number;
      continue;
    }
    isEmpty = false;
    yield parseEvent(value, `line ${number} of ${name}`);
  }
  if (!isEmpty) return;
  throw damaged === undefined ? new ProviderError(`${name} is empty.`) : notJson(name, damaged);
}

function parseEvent(value: unknown, name: string): Event {
  const { success, data, error } = eventSchema.safeParse(value, zodMessages);
  if (success) return data;
  throw new ProviderError(
    `${name} is not an event that pulumi 3.216 or later writes: ${problemsOf(error)}. Set PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true for pulumi preview --json.`,
  );
}

function notJson(name: string, line: number): ProviderError {
  return new ProviderError(
    `line ${line} of ${name} is not an event, or was truncated. Set PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true for pulumi preview --json, and pass only its standard output, without its standard error.`,
  );
}
