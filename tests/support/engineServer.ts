/** Engines that only accept connections or log messages. */
import { once } from "node:events";
import { createServer } from "node:net";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type Cleanup } from "./cleanup";

/** A message that the engine received. */
interface EngineMessage {
  readonly message: string;
  /** Whether the message is replaced by the next one. */
  readonly ephemeral: boolean;
  /** The resource that the message is about; empty for none. */
  readonly urn: string;
}

export interface EngineServer {
  /** `<host>:<port>`. */
  readonly address: string;
  readonly messages: readonly EngineMessage[];
}

/** Accepts connections at a free port, as an engine does. */
export async function listenAsEngine() {
  const server = createServer((socket) => socket.destroy())
    .listen(0, "127.0.0.1")
    .unref();
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the engine has no port");
  const stop = async () => {
    server.close();
    await once(server, "close");
  };
  return { server, address: `127.0.0.1:${address.port}`, stop };
}

export async function startEngineServer(cleanup: Cleanup): Promise<EngineServer> {
  const messages: EngineMessage[] = [];
  const server = new Server();
  server.addService(EngineService, {
    log: ({ request }: { request: LogRequest }, respond: (error: null, reply: Empty) => void) => {
      messages.push({
        message: request.getMessage(),
        ephemeral: request.getEphemeral(),
        urn: request.getUrn(),
      });
      respond(null, new Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  cleanup(() => {
    server.forceShutdown();
  });
  return { address: `127.0.0.1:${port}`, messages };
}
