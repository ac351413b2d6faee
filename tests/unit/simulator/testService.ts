/** The simulator under test, which Mocha hooks start and stop. */
import assert from "node:assert/strict";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../simulator/src";
import { type AuthenticatedSending, type Response, type Sending, call, send } from "./client";

/** When a simulator starts: once for the suite, before each test, or when a test calls `start`. */
export type StartsIn = "before" | "beforeEach" | "test";

/** The simulator under test, with a client for it. */
export class TestService {
  private running: Simulator | undefined;

  constructor(private readonly defaults: SimulatorOptions) {}

  get simulator(): Simulator {
    assert.ok(this.running, "the simulator is not running");
    return this.running;
  }

  /** Starts the simulator; stops an earlier one first. */
  async start(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
    await this.stop();
    this.running = await startSimulator({ ...this.defaults, ...options });
    return this.running;
  }

  /** Stops the simulator if it is running. */
  async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    await running?.stop();
  }

  /** Sends an unauthenticated request. */
  send(path: string, sending?: Sending): Promise<Response> {
    return send(this.simulator, path, sending);
  }

  /** Sends an authenticated request. `path` is relative to the API path. */
  call(path: string, sending?: AuthenticatedSending): Promise<Response> {
    const { apiPath } = this.defaults;
    return call(
      apiPath === undefined ? this.simulator : { ...this.simulator, apiPath },
      path,
      sending,
    );
  }

  /** Sends an authenticated PATCH with a JSON body. */
  patch(path: string, json: unknown): Promise<Response> {
    return this.call(path, { method: "PATCH", json });
  }

  /** Sends an authenticated POST with a JSON body. */
  post(path: string, json: unknown): Promise<Response> {
    return this.call(path, { method: "POST", json });
  }
}

/**
 * Registers the hooks that start and stop a simulator for the tests of a suite.
 *
 * @param defaults the seed and settings; `start` can override them
 * @param startsIn when the simulator starts
 * @returns the simulator under test
 */
export function useSimulator(
  defaults: SimulatorOptions,
  startsIn: StartsIn = "beforeEach",
): TestService {
  const service = new TestService(defaults);
  const start = async () => {
    await service.start();
  };
  const stop = () => service.stop();
  if (startsIn === "before") before(start);
  if (startsIn === "beforeEach") beforeEach(start);
  if (startsIn === "before") after(stop);
  else afterEach(stop);
  return service;
}
