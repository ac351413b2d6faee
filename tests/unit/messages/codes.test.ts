import assert from "node:assert/strict";
import {
  withCode,
  withoutCode,
  InitializationError,
  ProviderError,
  errorWithoutStackTrace,
} from "../../../provider/src/messages/errors";

describe("a message with a code", () => {
  const cases: [behaviour: string, message: string, end: string][] = [
    ["ends with the code", "a b", " [clouddb-drift]"],
    ["has the code after its last sentence", "a:\n  b\nDo c.", " [clouddb-drift]"],
    ["has the code on its own line after a command", "Run:\n  c d", "\n[clouddb-drift]"],
  ];
  for (const [behaviour, message, end] of cases) {
    it(behaviour, () => {
      assert.equal(withCode(message, "drift"), `${message}${end}`);
      assert.equal(withoutCode(withCode(message, "drift")), message);
    });
  }

  it("is the message of an error for the engine, and the reason that the engine records", () => {
    const inner = new ProviderError("the cause", { code: "connection" });
    const error = new InitializationError(`it is unknown: ${inner.message}`, {
      id: "p",
      properties: {},
      code: "change-unknown",
    });
    const reported = errorWithoutStackTrace(error);
    assert.ok(reported instanceof InitializationError);
    const expected = "it is unknown: the cause [clouddb-change-unknown]";
    assert.deepEqual([reported.message, reported.reasons], [expected, [expected]]);
  });
});
