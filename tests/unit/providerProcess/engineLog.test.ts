import assert from "node:assert/strict";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { engineAddress } from "../../../provider/src/providerProcess/engineContact";
import { createEngineLog, modulesOfPulumi } from "../../../provider/src/providerProcess/engineLog";
import { safe, unsafe } from "./unsafeText";

describe("the engine log", () => {
  const engineLog = createEngineLog({
    engineAddress,
    modules: modulesOfPulumi,
    resource: () => "urn:orders",
  });

  it("sends escaped messages to the engine, with progress as ephemeral", async () => {
    const received: [message: string, ephemeral: boolean, urn: string][] = [];
    const server = new Server();
    server.addService(EngineService, {
      log: ({ request }: { request: LogRequest }, respond: (error: null, reply: Empty) => void) => {
        received.push([request.getMessage(), request.getEphemeral(), request.getUrn()]);
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
      [safe, false, "urn:orders"],
      [safe, true, "urn:orders"],
    ]);
  });

  it("writes escaped messages to standard error if there is no engine", async () => {
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
