import assert from "node:assert/strict";
import { type Lifecycle, withReportedErrors } from "../../../provider/src/host/lifecycle";
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

  it("escapes the message of a user error, and leaves out its stack trace", async () => {
    const thrown = new ProviderError(unsafe);
    const read = () => {
      throw thrown;
    };
    const lifecycle = withReportedErrors({ ...lifecycleOf(noCheck, thrown), read });
    for (const call of [() => lifecycle.create({}), async () => await lifecycle.read("id", {})]) {
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof Error);
        assert.deepEqual([error.message, error.stack], [safe, safe]);
        return true;
      });
    }
  });

  it("does not quote an ID with an output that the program converted to text", async () => {
    const lifecycle = withReportedErrors(lifecycleOf(noCheck, new Error("it is read")));
    const id = "s3cret/Calling [toString] on an [Output<T>] is not supported.";
    await assert.rejects(
      async () => await lifecycle.read(id, {}),
      ({ message }: Error) => /^the ID contains an output/.test(message) && !/s3cret/.test(message),
    );
  });

  it("names --run-program if the service refuses the credentials of a refresh, which are recorded", async () => {
    const refusal = (code: "authentication" | "forbidden") =>
      withReportedErrors(lifecycleOf(noCheck, new ProviderError("refused.", { code })));
    await assert.rejects(refusal("authentication").read("id", { projectId: "p" }), {
      message:
        "refused. Without --run-program, a refresh uses the settings of the last update. If the credentials were replaced since then, pass it. [clouddb-authentication]",
    });
    // An import or a first read, and another reason.
    for (const [code, props] of [
      ["authentication", {}],
      ["forbidden", { projectId: "p" }],
    ] as const) {
      const message = `refused. [clouddb-${code}]`;
      await assert.rejects(refusal(code).read("id", props), { message });
    }
  });

  it("throws a bug unchanged", async () => {
    const bug = new TypeError("x is not a function");
    const lifecycle = withReportedErrors(lifecycleOf(noCheck, bug));
    await assert.rejects(lifecycle.create({}), (error) => error === bug);
  });
});
