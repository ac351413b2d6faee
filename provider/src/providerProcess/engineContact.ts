/**
 * Checks whether the engine that runs this process is still running. A provider process can outlive a
 * killed engine by half an hour, and nothing records the changes that it makes in that time.
 */
import { connect } from "node:net";

/**
 * Returns the address of the engine's gRPC service, which is the last argument of a provider process.
 *
 * @returns `<host>:<port>`; undefined if this is not a provider process, as in a unit test
 */
export function engineAddress(): string | undefined {
  const address = process.argv.at(-1);
  return address !== undefined && /^[\w.-]+:\d+$/.test(address) ? address : undefined;
}

/** Watches the engine from the first operation of this process. */
export class EngineWatch {
  readonly #address: string | undefined;
  #acceptedAtStart: Promise<boolean> | undefined;

  /**
   * Creates a watch that connects only once it is started.
   *
   * @param address the address of the engine; undefined if there is none
   */
  constructor(address: string | undefined) {
    this.#address = address;
  }

  /** Checks once whether the engine accepts connections. Later calls do nothing. */
  start(): void {
    if (this.#address !== undefined) this.#acceptedAtStart ??= accepts(this.#address);
  }

  /**
   * Returns whether the engine is no longer running.
   *
   * @returns true if the engine accepted connections at the start and no longer does; false if there is
   *   no engine. Never rejects.
   */
  async isGone(): Promise<boolean> {
    if (this.#address === undefined || !(await this.#acceptedAtStart)) return false;
    return !(await accepts(this.#address));
  }
}

/** How long the engine may take to accept a connection on loopback, in milliseconds. */
const connectTimeout = 2000;

async function accepts(address: string): Promise<boolean> {
  const [host = "", port = ""] = address.split(":");
  return await new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: connectTimeout });
    const end = (accepted: boolean) => () => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once("connect", end(true));
    socket.once("timeout", end(false));
    socket.once("error", end(false));
  });
}
