/**
 * Messages to the person at the terminal, through the engine. Its service is reached at the address
 * that is the provider process's last argument; the client is loaded when there is something to say.
 */
import { createRequire } from "node:module";
import type * as Grpc from "@grpc/grpc-js";
import type * as Messages from "@pulumi/pulumi/proto/engine_pb";
import type * as Services from "@pulumi/pulumi/proto/engine_grpc_pb";
import { escapeMessage } from "../api/escapeText";
import { engineAddress } from "./engineContact";

/** `progress` replaces the line shown before it; `warning` stays and is counted. */
export type Severity = "progress" | "warning";

/** Shows a message; never rejects. */
export type Log = (severity: Severity, message: string) => Promise<void>;

/** How long a message may take to be accepted, in milliseconds. */
const acceptTimeout = 2000;

/**
 * Sends a message to the engine, or to standard error if no engine listens. Control characters in it
 * are escaped; its line breaks stay.
 *
 * @param severity how it is shown
 * @param the message
 * @returns when the message was accepted
 */
export const engineLog: Log = async (severity, message) => {
  const shown = escapeMessage(message);
  try {
    await send(severity, shown);
  } catch {
    console.error(`${severity}: ${shown}`);
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
 * Loaded as @pulumi/pulumi itself loads them: its client takes only credentials made by the very
 * gRPC library that it uses, and the library need not be visible from this package.
 */
function pulumiModules() {
  const load = createRequire(require.resolve("@pulumi/pulumi/package.json"));
  return {
    grpc: load("@grpc/grpc-js") as typeof Grpc,
    services: load("./proto/engine_grpc_pb") as typeof Services,
    messages: load("./proto/engine_pb") as typeof Messages,
  };
}
