import assert from "node:assert/strict";
import { requiredName } from "../../../provider/src/validation/arguments";
import { zodMessages } from "../../../provider/src/validation/values";
import { problemsOf } from "../../../provider/src/messages/text";
import * as z from "zod/mini";

describe("a value that a schema does not accept", () => {
  const rejected: [schema: z.ZodMiniType, value: unknown, problem: string][] = [
    [z.boolean(), undefined, "is missing; it must be a boolean"],
    [z.boolean(), "yes", "must be a boolean, not text"],
    [z.string(), null, "must be text, not null"],
    [z.string(), 7, "must be text, not a number"],
    [z.number(), Number.NaN, "must be a number, not NaN"],
    [z.array(z.string()), {}, "must be a list, not an object"],
    [requiredName("a name"), { length: {} }, "must be a name, not an object"],
    [z.object({ a: z.object({ b: z.string() }) }), { a: {} }, "a.b: is missing; it must be text"],
    [z.object({}), [], "must be an object, not a list"],
    [z.record(z.string(), z.string()), true, "must be an object, not a boolean"],
    [z.enum(["a", "b"]), "c", "is invalid"],
    [z.number().check(z.positive()), 0, "is invalid"],
    [z.union([z.string(), z.number()]), true, "is invalid"],
    [z.string("must be a name"), 7, "must be a name"],
  ];
  for (const [schema, value, problem] of rejected) {
    it(`is described in plain words: ${problem}`, () => {
      const { error } = schema.safeParse(value, zodMessages);
      assert.equal(problemsOf(error ?? { issues: [] }), problem);
    });
  }
});
