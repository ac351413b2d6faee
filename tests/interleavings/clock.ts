/** Virtual time, which moves only when nothing else can happen. fast-check decides what happens at one moment. */
import FakeTimers from "@sinonjs/fake-timers";
import type fc from "fast-check";

/** The time at which every history starts, in milliseconds since 1970. */
const start = Date.parse("2026-01-01T00:00:00Z");

/** More steps than any history needs. */
const maxSteps = 20_000;

const realImmediate = globalThis.setImmediate;
const realRandom = Math.random;
const realTimeout = AbortSignal.timeout.bind(AbortSignal);

/** The time and the order of one history. */
export class VirtualTime {
  readonly #scheduler: fc.Scheduler;
  readonly #clock: FakeTimers.Clock & { uninstall(): void };
  /** How many requests the service is processing, which takes no virtual time. */
  #working = 0;
  #steps = 0;
  #suspendedSeconds = 0;

  /** Replaces the timers of this process until {@link restore}. */
  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
    this.#clock = FakeTimers.install({
      now: start,
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    });
    let random = 1;
    Math.random = () => (random = (random * 48_271) % 0x7fffffff) / 0x7fffffff;
    AbortSignal.timeout = (milliseconds) => {
      const controller = new AbortController();
      setTimeout(() => {
        const message = "The operation was aborted due to timeout";
        controller.abort(new DOMException(message, "TimeoutError"));
      }, milliseconds);
      return controller.signal;
    };
  }

  /** Restores the timers. Those that are still pending never fire. */
  restore(): void {
    this.#clock.uninstall();
    Math.random = realRandom;
    AbortSignal.timeout = realTimeout;
  }

  /** Returns the seconds since the start of the history in which the machine was not suspended. */
  get seconds(): number {
    return (this.#clock.now - start - this.#suspendedSeconds * 1000) / 1000;
  }

  /** Suspends the machine. The clock of the system goes on, but the other one stops, and so do timers. */
  suspend(seconds: number): void {
    this.#suspendedSeconds += seconds;
    this.#clock.setSystemTime(this.#clock.now + seconds * 1000);
  }

  /** Lets time pass. */
  async sleep(seconds: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }

  /** Waits until the scheduler chooses this step among all that could happen now. */
  async turn(step: string): Promise<void> {
    await this.#scheduler.schedule(Promise.resolve(), step);
  }

  /** Runs work that takes no virtual time. */
  async work<T>(task: () => Promise<T>): Promise<T> {
    this.#working += 1;
    try {
      return await task();
    } finally {
      this.#working -= 1;
    }
  }

  /** Runs everything that happens until a promise settles. */
  async until<T>(result: Promise<T>): Promise<T> {
    const state = { isSettled: false };
    const settle = () => {
      state.isSettled = true;
    };
    result.then(settle, settle);
    for (;;) {
      await idle();
      if (state.isSettled) return await result;
      if (this.#working > 0) continue;
      this.#steps += 1;
      if (this.#steps > maxSteps)
        throw new Error(`the history did not end within ${maxSteps} steps`);
      if (this.#scheduler.count() > 0) await this.#scheduler.waitNext(1);
      else if (this.#clock.countTimers() > 0) this.#clock.next();
      else throw new Error("an operation waits forever, because no event is pending");
    }
  }
}

/** Waits until all promises that can settle have settled. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise<void>((resolve) => void realImmediate(resolve));
  }
}
