import assert from "node:assert/strict";
import { type Lifecycle, withReportedErrors } from "../../../provider/src/engine/lifecycle";
import { ProviderError } from "../../../provider/src/messages/errors";
import { safe, unsafe } from "./unsafeText";

/** A lifecycle whose other operations reject with `thrown`. */
function lifecycleOf(check: Lifecycle["check"], thrown: unknown = new Error()): Lifecycle {
  const fail = async (): Promise<never> => {
    await Promise.resolve();
    throw thrown;
  };
  return { check, diff: fail, create: fail, read: fail, update: fail, delete: fail };
}

describe("the lifecycle of a resource with reported errors", () => {
  const noCheck = () => Promise.resolve({});

  it("escapes the check failures that `check` returns", async () => {
    const lifecycle = withReportedErrors(
      lifecycleOf(() => Promise.resolve({ failures: [{ property: "p", reason: unsafe }] })),
    );
    assert.deepEqual(await lifecycle.check({}, {}), {
      failures: [{ property: "p", reason: safe }],
    });
  });

  it("turns a user error that `check` throws into an escaped check failure", async () => {
    const lifecycle = withReportedErrors(
      lifecycleOf(() =>
        Promise.reject(new ProviderError(unsafe, { property: "p", code: "argument" })),
      ),
    );
    assert.deepEqual(await lifecycle.check({}, { a: 1 }), {
      inputs: { a: 1 },
      failures: [{ property: "p", reason: `${safe} [clouddb-argument]` }],
    });
  });

  for (const thrown of [new ProviderError(unsafe), new TypeError(unsafe)]) {
    it(`escapes the message and stack trace of a ${thrown.name}`, async () => {
      const lifecycle = withReportedErrors(lifecycleOf(() => Promise.reject(thrown), thrown));
      const calls = [
        () => lifecycle.create({}),
        () => lifecycle.read("id", {}),
        ...(thrown instanceof ProviderError ? [] : [() => lifecycle.check({}, {})]),
      ];
      for (const call of calls) {
        await assert.rejects(call, (error) => {
          assert.ok(error instanceof Error);
          const text = `${error.message}\n${String(error.stack)}`;
          assert.ok(text.startsWith(safe), text);
          assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
          return true;
        });
      }
    });
  }

  it("reports a user error that an operation throws synchronously without a stack trace", async () => {
    const thrown = new ProviderError("CLOUDDB_BASE_URL is not set");
    const lifecycle = withReportedErrors({
      ...lifecycleOf(noCheck),
      read: () => {
        throw thrown;
      },
    });
    await assert.rejects(
      async () => await lifecycle.read("id", {}),
      (error) => error instanceof Error && error.stack === thrown.message,
    );
  });

  it("escapes a string that an operation throws", async () => {
    const lifecycle = withReportedErrors(lifecycleOf(noCheck, unsafe));
    await assert.rejects(lifecycle.create({}), (error) => error === safe);
  });

  it("throws a bug unchanged if its text is safe", async () => {
    const bug = new TypeError("x is not a function");
    const lifecycle = withReportedErrors(lifecycleOf(noCheck, bug));
    await assert.rejects(lifecycle.create({}), (error) => error === bug);
  });
});
