/**
 * A TCP proxy in front of the service, which resets, truncates or delays connections. The caller chooses
 * the fault of each connection, so that a seed determines it. toxiproxy draws all faults from one sequence,
 * so they would depend on the order of the connections of concurrent stacks.
 */
import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import type { Random } from "./random";

/** The kinds of connection faults. */
const connectionFaults = ["reset", "truncated", "slow"] as const;

/** A kind of connection fault. */
type ConnectionFault = (typeof connectionFaults)[number];

/** A running proxy. */
export interface FaultyProxy {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** How often each kind of fault was injected. */
  readonly injected: Readonly<Record<ConnectionFault, number>>;
  /** Sets the random choices for the next connections; undefined injects no faults. */
  choose(random: Random | undefined): void;
  stop(): void;
}

/** The probability that a connection gets a fault. */
const faultProbability = 0.2;

/**
 * Starts a proxy on a free port of 127.0.0.1. The caller must stop it.
 *
 * @param servicePort the port of the service on 127.0.0.1
 */
export async function startFaultyProxy(servicePort: number): Promise<FaultyProxy> {
  const state: { random: Random | undefined } = { random: undefined };
  const injected = { reset: 0, truncated: 0, slow: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const service = connect(servicePort, "127.0.0.1");
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.setNoDelay(true).once("close", () => sockets.delete(socket));
      socket.on("error", () => {
        client.destroy();
        service.destroy();
      });
    }
    client.once("close", () => service.destroy());
    client.pipe(service);
    const { random } = state;
    if (random?.chance(faultProbability) !== true) {
      service.pipe(client);
      return;
    }
    const fault = random.pick(connectionFaults);
    const onFault = () => {
      injected[fault] += 1;
    };
    if (fault === "slow") delay(service, client, random.integer(20, 400), onFault);
    else endAfter(random.integer(0, maxBytes), service, client, fault, onFault);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    injected,
    choose: (random) => {
      state.random = random;
    },
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** The most bytes before a fault: fewer than the handshake and the responses of one operation. */
const maxBytes = 5000;

/** Ends the connection to the client when it has received this many bytes. */
function endAfter(
  bytes: number,
  service: Socket,
  client: Socket,
  fault: "reset" | "truncated",
  onFault: () => void,
): void {
  let left = bytes;
  service.on("end", () => client.end());
  service.on("data", (chunk: Buffer) => {
    if (chunk.length < left) {
      left -= chunk.length;
      client.write(chunk);
      return;
    }
    service.removeAllListeners("data");
    onFault();
    if (fault === "reset") client.resetAndDestroy();
    else client.end(chunk.subarray(0, left));
  });
}

/** Delays everything that the service sends. */
function delay(service: Socket, client: Socket, milliseconds: number, onFault: () => void): void {
  onFault();
  const later = (send: () => void) => {
    setTimeout(() => {
      if (!client.destroyed) send();
    }, milliseconds);
  };
  service.on("end", () => {
    later(() => client.end());
  });
  service.on("data", (chunk: Buffer) => {
    later(() => client.write(chunk));
  });
}
