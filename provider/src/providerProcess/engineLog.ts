/**
 * Logs messages to the user's terminal, through the engine's gRPC service. Its address is the last
 * argument of the provider process. The client is loaded for the first message.
 */
import { createRequire } from "node:module";
import type * as Grpc from "@grpc/grpc-js";
import type * as Messages from "@pulumi/pulumi/proto/engine_pb";
import type * as Services from "@pulumi/pulumi/proto/engine_grpc_pb";
import { escapeMessage } from "../api/escapeText";
import type { Log, Severity } from "../session/log";
import { engineAddress } from "./engineContact";

/** The timeout for the engine to accept a message, in milliseconds. */
const acceptTimeout = 2000;

/**
 * Sends a message to the engine, or to standard error if there is no engine or it does not accept the
 * message within 2 seconds. Escapes control characters except for line breaks.
 *
 * @param severity how the message is displayed
 * @param message the message
 * @returns resolves when the message was accepted; never rejects
 */
export const engineLog: Log = async (severity, message) => {
  const escaped = escapeMessage(message);
  try {
    await send(severity, escaped);
  } catch {
    console.error(`${severity}: ${escaped}`);
  }
};

async function send(severity: Severity, message: string): Promise<void> {
  const address = engineAddress();
  if (address === undefined) throw new Error("no engine");
  const { grpc, services, messages } = pulumiModules();
  const request = new messages.LogRequest();
  request.setSeverity(messages.LogSeverity[severity === "warning" ? "WARNING" : "INFO"]);
  request.setMessage(message);
  request.setEphemeral(severity === "progress");
  const client = new services.EngineClient(address, grpc.credentials.createInsecure());
  try {
    await new Promise<void>((resolve, reject) => {
      const options = { deadline: Date.now() + acceptTimeout };
      client.log(request, new grpc.Metadata(), options, (error: Error | null) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  } finally {
    client.close();
  }
}

/**
 * Loads the gRPC modules from the location of @pulumi/pulumi: its client only accepts credentials from
 * its own copy of the gRPC library, which may not be resolvable from this package.
 */
function pulumiModules() {
  const load = createRequire(require.resolve("@pulumi/pulumi/package.json"));
  return {
    grpc: load("@grpc/grpc-js") as typeof Grpc,
    services: load("./proto/engine_grpc_pb") as typeof Services,
    messages: load("./proto/engine_pb") as typeof Messages,
  };
}
