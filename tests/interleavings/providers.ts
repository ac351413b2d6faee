/** The provider processes of a run: the provider of the plugin in this process, and its view of the engine. */
import { AsyncLocalStorage } from "node:async_hooks";
import { EventEmitter } from "node:events";
import net from "node:net";
import * as grpc from "@grpc/grpc-js";
import * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/engine_pb";
import { CloudDbProvider } from "../../plugin/src/provider";
import type { VirtualTime } from "./clock";
import type { Caller, Disturbed, Sender } from "./network";
import type { ResourceCalls } from "./programs";
import { type Conditions, origin } from "./service";
import { account, key } from "../support/service";

/** One run of the engine, which is a preview or an update. */
export interface Run {
  /** The address of the engine. Each run has its own. */
  readonly address: string;
  isAlive: boolean;
}

const running = new AsyncLocalStorage<Caller>();

/** Returns the process whose code is running, and the call that it works for. */
export function currentCaller(): Caller | undefined {
  return running.getStore();
}

/** How long the engine waits for a process at the end of a run, in seconds. */
const maxClosing = 5;

export class ProviderProcess implements Sender {
  readonly #provider: CloudDbProvider;
  readonly #time: VirtualTime;
  readonly operation: Disturbed;
  isDead = false;
  /** When the engine told the process that the operation is cancelled, in seconds. */
  cancelledSecond: number | undefined;
  #die: (reason: Error) => void = () => undefined;
  readonly #death = new Promise<never>((_, reject) => (this.#die = reject));

  constructor(time: VirtualTime, run: Run, operation: Disturbed, conditions: Conditions) {
    this.#time = time;
    this.operation = operation;
    this.#death.catch(() => undefined);
    this.#provider = new CloudDbProvider({
      engineAddress: run.address,
      modules: engineModules(this, operation),
      environment: settingsOf(conditions),
    });
  }

  /** Makes one call of the engine. Rejects if the process is killed. */
  async call<T>(call: object, work: (provider: ResourceCalls) => Promise<T>): Promise<T> {
    const result = running.run({ process: this, call }, () => work(this.#provider));
    return await Promise.race([result, this.#death]);
  }

  cancel(): void {
    this.cancelledSecond ??= this.#time.seconds;
    running.run({ process: this, call: undefined }, () => {
      this.#provider.cancel();
    });
  }

  kill(): void {
    this.isDead = true;
    this.#die(new Error("the provider process ended unexpectedly"));
    // Nothing of it is left for a later history. A dead process sends nothing.
    void running.run({ process: this, call: undefined }, () => this.#provider.close());
  }

  /** Ends the process by a signal. Its pending calls have the time until then. */
  async end(): Promise<void> {
    this.cancelledSecond ??= this.#time.seconds;
    await this.close();
    this.#die(new Error("a signal ended the provider process before it returned"));
  }

  /** Ends the process as the engine does at the end of a run. */
  async close(): Promise<void> {
    if (this.isDead) return;
    const closed = running.run({ process: this, call: undefined }, () => this.#provider.close());
    await Promise.race([closed, this.#time.sleep(maxClosing)]);
    this.isDead = true;
  }
}

/** Returns the environment of a provider process. */
function settingsOf({ credentials, clusterPaths }: Conditions) {
  return {
    CLOUDDB_BASE_URL: origin,
    CLOUDDB_CLUSTER_PATHS: clusterPaths,
    ...(credentials === "API key"
      ? { CLOUDDB_PUBLIC_KEY: key.publicKey, CLOUDDB_PRIVATE_KEY: key.privateKey }
      : { CLOUDDB_CLIENT_ID: account.clientId, CLOUDDB_CLIENT_SECRET: account.clientSecret }),
  };
}

type Done = (error: null) => void;

/** Returns the modules of the engine's log, whose engine accepts every message at once. */
function engineModules(process: ProviderProcess, { warnings }: Disturbed) {
  class EngineClient {
    log(request: messages.LogRequest, _metadata: unknown, _options: unknown, done: Done): void {
      if (!request.getEphemeral() && !process.isDead) warnings.push(request.getMessage());
      done(null);
    }

    close(): void {
      // There is no connection.
    }
  }
  return { grpc, services: Object.assign({}, services, { EngineClient }), messages };
}

/**
 * Makes the processes find the engines of this universe.
 *
 * @param runs the runs so far
 * @returns undoes it
 */
export function replaceSurroundings(runs: readonly Run[]): () => void {
  const { connect } = net;
  const prototype: StoragePrototype = AsyncLocalStorage.prototype;
  // oxlint-disable-next-line typescript/unbound-method -- it is applied to each storage
  const { run: runWithStore } = prototype;
  /** Each provider has one. Node.js 20 copies the stores of all that were used to each promise. */
  const storages = new Set<AsyncLocalStorage<unknown>>();
  prototype.run = function (this: AsyncLocalStorage<unknown>, ...args) {
    storages.add(this);
    return runWithStore.apply(this, args);
  };
  const connectToEngine = ({ host, port }: { host: string; port: number }) => {
    const run = runs.find(({ address }) => address === `${host}:${port}`);
    const socket = Object.assign(new EventEmitter(), { destroy: () => undefined });
    const refusal = Object.assign(new Error(), { code: "ECONNREFUSED" });
    queueMicrotask(() => socket.emit(run?.isAlive === true ? "connect" : "error", refusal));
    return socket;
  };
  Object.assign(net, { connect: connectToEngine });
  return () => {
    Object.assign(net, { connect });
    prototype.run = runWithStore;
    for (const storage of storages) storage.disable();
  };
}

interface StoragePrototype {
  run(this: AsyncLocalStorage<unknown>, ...args: unknown[]): unknown;
}
