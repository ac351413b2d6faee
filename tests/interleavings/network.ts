/** The network below the real client: replaces the connections of undici. */
import { Agent, Dispatcher } from "undici";
import type { VirtualTime } from "./clock";
import {
  type Answered,
  type Conditions,
  type Edit,
  type Received,
  type Service,
  origin,
} from "./service";

/** What a request is for. */
export type RequestKind = "token" | "revocation" | "list" | "read" | "change" | "other";

/** Before the service handles a request, or after it, before the answer arrives. */
export type When = "before" | "after";

/** What stops an operation. A cancellation is Ctrl-C. A signal ends the provider, as at the shutdown of a machine. */
export type Stop = "cancel" | "signal" | "kill the engine" | "kill the provider";

/** What goes wrong with a request. */
export type Fault =
  | { readonly kind: "connected late"; readonly seconds: number }
  | { readonly kind: "late"; readonly when: When; readonly seconds: number }
  | { readonly kind: "lost"; readonly when: When }
  | { readonly kind: "truncated" }
  /** A change that the service applies after its answer. */
  | { readonly kind: "deferred"; readonly status: number; readonly seconds: number }
  /** The answer replaces the service's. If `when` is before, the service does not handle the request. */
  | {
      readonly kind: "answered";
      readonly when: When;
      readonly status: number;
      readonly retryAfter: number;
    }
  | { readonly kind: "edited"; readonly when: When; readonly edit: Edit }
  /** The operation is stopped, and then the request or its answer is late. */
  | {
      readonly kind: "stopped";
      readonly when: When;
      readonly stop: Stop;
      readonly seconds: number;
    }
  /** The machine is suspended, and somebody edits the project meanwhile. */
  | {
      readonly kind: "suspended";
      readonly when: When | "connecting";
      readonly seconds: number;
      readonly edit: Edit;
    };

/** A fault of the n-th request of a kind in an operation, from 1. */
export interface Disturbance {
  readonly request: Exclude<RequestKind, "other">;
  readonly nth: number;
  readonly fault: Fault;
}

/** A request that a process sent, with points in the order of all events. */
export interface Sent extends Caller {
  readonly kind: RequestKind;
  readonly method: Received["method"];
  readonly path: string;
  /** The mode that a change requests. */
  readonly enabled: boolean | undefined;
  readonly headers: Record<string, string>;
  readonly payload: string;
  /** When the client requested it, and when it was written. */
  readonly requestedAt: number;
  readonly sentAt: number;
  readonly sentSecond: number;
  /** By the clock of the system, in milliseconds. */
  readonly sentTime: number;
  /** When the service started and finished handling it, and the status. Undefined if it never did. */
  handled?: {
    readonly from: number;
    readonly to: number;
    readonly time: number;
    readonly status: number;
  };
  /** When the process received the answer, and its status. */
  answered?: {
    readonly at: number;
    readonly second: number;
    readonly time: number;
    readonly status: number;
  };
}

/** A fault that happened to a request. */
export interface Happened {
  readonly kind: RequestKind;
  readonly fault: Fault;
}

/** A process that sends requests. */
export interface Sender {
  readonly isDead: boolean;
  readonly operation: Disturbed;
}

/** An operation, whose processes share this. */
export interface Disturbed {
  readonly disturbances: readonly Disturbance[];
  /** Counts the requests by kind. */
  readonly counts: Map<RequestKind, number>;
  readonly warnings: string[];
  /** When the engine was killed, in the order of all events. */
  readonly killedAt: number | undefined;
  stop(how: Stop): void;
}

/** Who sends a request: a process, and the call of the engine that it works for. */
export interface Caller {
  readonly process: Sender;
  readonly call: object | undefined;
}

/** The time after which undici ends an attempt to connect, as the client sets it. */
const connectSeconds = 10;

/** A promise that never settles, because nothing ends the wait of a killed process. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}

export class Network {
  readonly sent: Sent[] = [];
  readonly happened: Happened[] = [];
  readonly #time: VirtualTime;
  readonly #service: Service;
  readonly #conditions: Conditions;
  readonly #caller: () => Caller | undefined;

  /**
   * Takes the place of all connections until {@link restore}.
   *
   * @param caller returns who is running
   */
  constructor(
    time: VirtualTime,
    service: Service,
    conditions: Conditions,
    caller: () => Caller | undefined,
  ) {
    this.#time = time;
    this.#service = service;
    this.#conditions = conditions;
    this.#caller = caller;
    const dispatcher = new Dispatcher();
    dispatcher.dispatch = (options, handler) => {
      const caller = this.#caller();
      if (caller?.process.isDead === false) void this.#dispatch(caller, options, handler);
      return true;
    };
    // Composing gives all handlers the methods of undici's newer ones.
    const composed = dispatcher.compose((next) => next);
    const dispatch: Dispatcher["dispatch"] = (...args) => composed.dispatch(...args);
    Object.defineProperty(Agent.prototype, "dispatch", { value: dispatch, configurable: true });
  }

  restore(): void {
    Reflect.deleteProperty(Agent.prototype, "dispatch");
  }

  /** Behaves like a connection of undici. A killed process receives nothing more. */
  async #dispatch(
    { process, call }: Caller,
    { method, path, headers, body }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): Promise<void> {
    const kind = kindOf(method, path);
    const requestedAt = this.#service.next();
    const { counts, disturbances } = process.operation;
    const nth = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, nth);
    const fault = disturbances.find(
      (disturbance) => disturbance.request === kind && disturbance.nth === nth,
    )?.fault;
    const connection = connectionWith((error) => {
      if (!process.isDead) handler.onResponseError?.(connection, error);
    });
    const isOver = () => connection.aborted || process.isDead;
    try {
      if (fault?.kind === "connected late") {
        await this.#time.sleep(Math.min(fault.seconds, connectSeconds));
        if (fault.seconds > connectSeconds) {
          throw broken("UND_ERR_CONNECT_TIMEOUT", "Connect Timeout Error");
        }
      }
      if (isOver()) return;
      if (fault !== undefined) this.happened.push({ kind, fault });
      if (fault?.kind === "suspended" && fault.when === "connecting") this.#suspend(fault);
      handler.onRequestStart?.(connection, {});
      if (isOver()) return;
      const payload = typeof body === "string" ? body : "";
      const sent: Sent = {
        process,
        call,
        kind,
        path,
        payload,
        requestedAt,
        method: methodOf(method),
        enabled: method === "PATCH" ? payload.includes("true") : undefined,
        headers: headersOf(headers),
        sentAt: this.#service.next(),
        sentSecond: this.#time.seconds,
        sentTime: Date.now(),
      };
      this.sent.push(sent);
      const answer = await this.#exchange(sent, fault);
      if (isOver()) return;
      sent.answered = {
        at: this.#service.next(),
        second: this.#time.seconds,
        time: Date.now(),
        status: answer.statusCode,
      };
      const bytes = Buffer.from(answer.body);
      const isTruncated = fault?.kind === "truncated";
      handler.onResponseStart?.(connection, answer.statusCode, answer.headers, "");
      handler.onResponseData?.(
        connection,
        isTruncated ? bytes.subarray(0, bytes.length / 2) : bytes,
      );
      if (isTruncated) connection.abort(broken("UND_ERR_SOCKET", "other side closed"));
      else handler.onResponseEnd?.(connection, {});
    } catch (error) {
      connection.abort(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Continues after the client cancels or times out, like a request in transit. */
  async #exchange(sent: Sent, fault: Fault | undefined): Promise<Answered> {
    await this.#time.turn(`${sent.kind} arrives`);
    const early = await this.#disturb(sent, fault, "before");
    if (early !== undefined) return early;
    if (fault?.kind === "deferred") {
      void this.#time.sleep(fault.seconds).then(() => this.#handle(sent));
      await this.#time.turn(`${sent.kind} is answered`);
      return answerOf(fault.status, 0);
    }
    const answer = await this.#handle(sent);
    const other = await this.#disturb(sent, fault, "after");
    await this.#time.turn(`${sent.kind} is answered`);
    return other ?? answer;
  }

  async #handle(sent: Sent): Promise<Answered> {
    const from = this.#service.next();
    const answer = await this.#time.work(() =>
      this.#service.handle({
        method: sent.method,
        url: sent.path,
        headers: { ...sent.headers, host: new URL(origin).host },
        payload: sent.payload,
      }),
    );
    const time = Date.now();
    sent.handled = { from, to: this.#service.next(), time, status: answer.statusCode };
    const isMissing = sent.kind === "read" && !this.#conditions.isReadable;
    return isMissing && answer.statusCode === 200 ? answerOf(405, 0) : answer;
  }

  /** Applies a fault, and returns the answer that replaces the service's. */
  async #disturb(sent: Sent, fault: Fault | undefined, when: When): Promise<Answered | undefined> {
    if (fault === undefined || !("when" in fault) || fault.when !== when) return undefined;
    switch (fault.kind) {
      case "late":
        await this.#time.sleep(fault.seconds);
        return undefined;
      case "lost":
        throw broken("ECONNRESET", "read ECONNRESET");
      case "answered":
        return answerOf(fault.status, fault.retryAfter);
      case "edited":
        this.#service.edit(fault.edit);
        return undefined;
      case "stopped":
        sent.process.operation.stop(fault.stop);
        if (fault.seconds > 0) await this.#time.sleep(fault.seconds);
        return undefined;
      case "suspended":
        this.#suspend(fault);
        return undefined;
    }
  }

  #suspend({ seconds, edit }: Extract<Fault, { kind: "suspended" }>): void {
    this.#time.suspend(seconds);
    this.#service.edit(edit);
  }
}

/** Returns what undici's handlers see of their connection; its abortion calls a function once. */
function connectionWith(fail: (error: Error) => void): Dispatcher.DispatchController {
  return {
    paused: false,
    rawHeaders: null,
    rawTrailers: null,
    aborted: false,
    reason: null,
    abort(reason) {
      if (this.aborted) return;
      Object.assign(this, { aborted: true, reason });
      fail(reason);
    },
    // It is never paused, because answers are short.
    pause: () => undefined,
    resume: () => undefined,
  };
}

function kindOf(method: string, path: string): RequestKind {
  if (path.endsWith("/oauth/token")) return "token";
  if (path.endsWith("/oauth/revoke")) return "revocation";
  if (/\/(c|flexC)lusters(\?|$)/.test(path)) return "list";
  if (path.endsWith("/privateIpMode")) return method === "PATCH" ? "change" : "read";
  return "other";
}

function answerOf(status: number, retryAfter: number): Answered {
  const headers = retryAfter === 0 ? {} : { "retry-after": String(retryAfter) };
  if (status === 502) return { statusCode: status, headers, body: "<h1>Bad gateway</h1>" };
  const body = JSON.stringify({ error: status, errorCode: "FAULT", detail: "Injected fault." });
  return { statusCode: status, headers, body };
}

function broken(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function methodOf(method: string): Received["method"] {
  if (method === "GET" || method === "PATCH" || method === "POST") return method;
  throw new Error(`the client sent ${method}`);
}

function headersOf(headers: unknown): Record<string, string> {
  const entries = Object.entries(typeof headers === "object" && headers !== null ? headers : {});
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
