/**
 * Checks whether the engine that runs this process is still running. A provider process outlives a
 * killed engine by a minute or more, and nothing records the changes that it makes in that time.
 */
import { connect } from "node:net";

/** Returns the address of the engine's gRPC service: the last argument of a provider process. */
export function engineAddress(): string | undefined {
  const address = process.argv.at(-1);
  return address !== undefined && /^[\w.-]+:\d+$/.test(address) ? address : undefined;
}

/** How long the engine may take to accept a connection on loopback, in milliseconds. */
const connectTimeout = 2000;

/**
 * Watches the engine, starting with the first operation.
 *
 * @returns `isGone` resolves to true if the engine accepted connections at first and no longer does. It
 * resolves to false if there is no engine address, as in a test.
 */
export function engineWatch(address: string | undefined = engineAddress()): {
  readonly start: () => void;
  readonly isGone: () => Promise<boolean>;
} {
  const seen = { atStart: undefined as Promise<boolean> | undefined };
  const start = () => {
    if (address !== undefined) seen.atStart ??= accepts(address);
  };
  return {
    start,
    isGone: async () =>
      address !== undefined && (await seen.atStart) === true && !(await accepts(address)),
  };
}

async function accepts(address: string): Promise<boolean> {
  const [host = "", port = ""] = address.split(":");
  return await new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: connectTimeout });
    const end = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once("connect", () => {
      end(true);
    });
    socket.once("timeout", () => {
      end(false);
    });
    socket.once("error", () => {
      end(false);
    });
  });
}
