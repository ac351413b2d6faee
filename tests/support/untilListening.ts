import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Waits until a server accepts connections on a loopback port. */
export async function untilListening(port: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await sleep(100);
    } finally {
      socket.destroy();
    }
  }
}
