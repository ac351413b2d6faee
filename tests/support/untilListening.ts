import { once } from "node:events";
import { connect } from "node:net";

/** Waits until a server accepts connections on a loopback port. */
export async function untilListening(port: number): Promise<void> {
  const { default: pRetry } = await import("p-retry");
  const attempt = async () => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.destroy();
  };
  await pRetry(attempt, { retries: 100, minTimeout: 100, factor: 1 });
}
