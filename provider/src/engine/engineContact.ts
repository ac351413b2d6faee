/**
 * Whether the engine that runs this process is still there. A provider process outlives an engine
 * that was killed by a minute or more, and nobody records what it does then.
 */
import { connect } from "node:net";

/** The address of the engine's own service, the last argument of a provider process. */
export function engineAddress(): string | undefined {
  const address = process.argv.at(-1);
  return address !== undefined && /^[\w.-]+:\d+$/.test(address) ? address : undefined;
}

/** How long the engine may take to accept a connection on loopback, in milliseconds. */
const connectTimeout = 2000;

/**
 * Watches the engine from the first operation on.
 *
 * @returns a function that resolves to true when the engine answered before and does not any more;
 * without an engine's address, as in a test, to false
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
