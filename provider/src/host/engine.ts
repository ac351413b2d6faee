/** The engine that runs this process: its address, whether it still runs, and its log, which reaches the terminal. */
import { createRequire } from "node:module";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type * as Grpc from "@grpc/grpc-js";
import type * as Messages from "@pulumi/pulumi/proto/engine_pb";
import type * as Services from "@pulumi/pulumi/proto/engine_grpc_pb";
import { type Log, type Severity, withCode } from "../messages/errors";
import { escapeMessage } from "../messages/text";

/** Returns the engine's address, the last argument of a provider process; undefined in any other process. */
export function engineAddress(): string | undefined {
  const address = process.argv.at(-1);
  return address !== undefined && /^[\w.-]+:\d+$/.test(address) ? address : undefined;
}

/**
 * Closes before a signal ends the process. The engine sends SIGINT at the end of a run, and kills the process 5 s
 * later. A second signal ends it at once.
 */
export function closeOnSignal(close: () => Promise<void>): void {
  // Windows sends SIGBREAK for Ctrl-Break, and SIGHUP when a console is closed.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const) {
    process.once(signal, () => {
      // A process on Windows can send SIGTERM, which ends a process at once, but neither SIGHUP nor SIGBREAK.
      const last = process.platform === "win32" ? "SIGTERM" : signal;
      void close().finally(() => process.kill(process.pid, last));
    });
  }
}

/**
 * Watches the engine. If it is killed, this process outlives it by a minute or more, and nothing records what it changes.
 */
export class EngineWatch {
  readonly #address: () => string | undefined;
  /** Undefined before `start`. */
  #listenedAtStart: Promise<boolean> | undefined;

  constructor(address: () => string | undefined) {
    this.#address = address;
  }

  /** Checks once whether the engine listens. Later calls do nothing. */
  start(): void {
    const address = this.#address();
    if (address !== undefined) this.#listenedAtStart ??= isListening(address);
  }

  /**
   * Returns whether the engine listened at the start and no longer does. Without an answer at the start, it cannot be
   * watched, and counts as alive. So does another process at its address. Never rejects.
   */
  async isGone(): Promise<boolean> {
    const address = this.#address();
    if (address === undefined || !(await this.#listenedAtStart)) return false;
    return !(await isListening(address));
  }
}

/**
 * Resolves after the engine has ended. Tries to connect to it every second, and does not watch the parent of this
 * process, which can end before the engine, and whose ID can stay the same.
 */
export async function engineEnd(address: string): Promise<void> {
  do await sleep(1000, undefined, { ref: false });
  while (await isListening(address));
}

/**
 * Returns whether something accepts connections at an address. Any other failure than a refused connection counts as
 * true, because a busy or suspended engine does not respond either.
 */
async function isListening(address: string): Promise<boolean> {
  const [host = "", port = ""] = address.split(":");
  return await new Promise((resolve) => {
    // Windows repeats a refused attempt for two seconds.
    const socket = connect({ host, port: Number(port), timeout: 5000 });
    const end = () => {
      socket.destroy();
      resolve(true);
    };
    socket.once("connect", end);
    socket.once("timeout", end);
    socket.once("error", (error) => {
      resolve(!("code" in error && error.code === "ECONNREFUSED"));
    });
  });
}

/** What the log needs to reach the engine. */
export interface EngineLogSettings {
  readonly engineAddress: () => string | undefined;
  readonly modules: () => EngineModules;
  /** Returns the URN of the resource that a message is about, which the engine names. Default: none */
  readonly resource?: (() => string | undefined) | undefined;
}

/**
 * Creates a log that sends messages to the engine. Without an engine, or if it does not respond within two seconds,
 * they go to standard error. The log never rejects.
 */
export function createEngineLog(settings: EngineLogSettings): Log {
  return async (severity, message, code) => {
    const escaped = withCode(escapeMessage(message), code);
    try {
      await sendToEngine(settings, severity, escaped);
    } catch {
      console.error(`${severity}: ${escaped}`);
    }
  };
}

/** Sends a message to the engine's log. Rejects if there is no engine, or if it does not respond. */
async function sendToEngine(settings: EngineLogSettings, severity: Severity, message: string) {
  const address = settings.engineAddress();
  if (address === undefined) throw new Error("no engine");
  const { grpc, services, messages } = settings.modules();
  const request = new messages.LogRequest();
  request.setSeverity(messages.LogSeverity[severity === "warning" ? "WARNING" : "INFO"]);
  request.setMessage(message);
  request.setEphemeral(severity === "progress");
  request.setUrn(settings.resource?.() ?? "");
  // The engine is on loopback. gRPC would use a proxy, and ignore NO_PROXY in capitals.
  const client = new services.EngineClient(address, grpc.credentials.createInsecure(), {
    "grpc.enable_http_proxy": 0,
  });
  try {
    await new Promise<void>((resolve, reject) => {
      const options = { deadline: Date.now() + 2000 };
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
 * Loads the gRPC modules from the location of @pulumi/pulumi, because its client only accepts credentials from its own
 * copy of the gRPC library, which may not be resolvable from this package.
 */
export function modulesOfPulumi() {
  const load = createRequire(require.resolve("@pulumi/pulumi/package.json"));
  /* oxlint-disable typescript/no-unsafe-assignment -- `createRequire` is not typed */
  const grpc: typeof Grpc = load("@grpc/grpc-js");
  const services: typeof Services = load("./proto/engine_grpc_pb");
  const messages: typeof Messages = load("./proto/engine_pb");
  /* oxlint-enable typescript/no-unsafe-assignment */
  return { grpc, services, messages };
}

export type EngineModules = ReturnType<typeof modulesOfPulumi>;
