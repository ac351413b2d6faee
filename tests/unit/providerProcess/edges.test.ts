/** What leaves the process for a terminal: check failures, thrown errors and log messages. */
import assert from "node:assert/strict";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { ProviderError, errorWithoutStackTrace } from "../../../provider/src/session/errors";
import {
  type Lifecycle,
  withReportedErrors,
} from "../../../provider/src/providerProcess/lifecycle";
import { engineLog } from "../../../provider/src/providerProcess/engineLog";

const unsafe = "first\u001b[2J\u202e\r\nsecond";
const safe = "first\\u{1b}[2J\\u{202e}\\r\nsecond";

function lifecycleOf(check: Lifecycle["check"], thrown = new Error()): Lifecycle {
  const fail = () => Promise.reject(thrown);
  return { check, diff: fail, create: fail, read: fail, update: fail, delete: fail };
}

describe("text that leaves the process", () => {
  it("is escaped in check failures, returned or thrown", async () => {
    const returning = withReportedErrors(
      lifecycleOf(() => Promise.resolve({ failures: [{ property: "p", reason: unsafe }] })),
    );
    assert.deepEqual(await returning.check({}, {}), {
      failures: [{ property: "p", reason: safe }],
    });
    const throwing = withReportedErrors(
      lifecycleOf(() => Promise.reject(new ProviderError(unsafe, "p"))),
    );
    assert.deepEqual(await throwing.check({}, { a: 1 }), {
      inputs: { a: 1 },
      failures: [{ property: "p", reason: safe }],
    });
  });

  it("is not changed in the inputs that a check returns", async () => {
    const inputs = { name: unsafe };
    const lifecycle = withReportedErrors(lifecycleOf(() => Promise.resolve({ inputs })));
    assert.deepEqual(await lifecycle.check({}, {}), { inputs });
  });

  for (const thrown of [new ProviderError(unsafe), new TypeError(unsafe)]) {
    it(`is escaped in a ${thrown.name} that a hook throws, its stack trace included`, async () => {
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

  it("is escaped in a string that is thrown", () => {
    assert.equal(errorWithoutStackTrace(unsafe), safe);
  });

  it("leaves a defect without such text as it is", () => {
    const error = new TypeError("x is not a function");
    assert.equal(errorWithoutStackTrace(error), error);
  });

  it("is escaped in log messages to the engine", async () => {
    const received: [message: string, ephemeral: boolean][] = [];
    const server = new Server();
    server.addService(EngineService, {
      log: ({ request }: { request: LogRequest }, respond: (error: null, reply: Empty) => void) => {
        received.push([request.getMessage(), request.getEphemeral()]);
        respond(null, new Empty());
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
        if (error === null) resolve(bound);
        else reject(error);
      });
    });
    process.argv.push(`127.0.0.1:${port}`);
    try {
      await engineLog("warning", unsafe);
      await engineLog("progress", unsafe);
    } finally {
      process.argv.pop();
      server.forceShutdown();
    }
    assert.deepEqual(received, [
      [safe, false],
      [safe, true],
    ]);
  });

  it("is escaped on standard error, where no engine listens", async () => {
    const written: unknown[] = [];
    const { error } = console;
    console.error = (...values: unknown[]) => void written.push(...values);
    try {
      await engineLog("warning", unsafe);
    } finally {
      console.error = error;
    }
    assert.deepEqual(written, [`warning: ${safe}`]);
  });
});
