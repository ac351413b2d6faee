/** A proxy on loopback that supports CONNECT, and records its tunnels. */
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, type Socket, connect } from "node:net";

/** A running proxy. */
export interface Proxy {
  readonly url: string;
  /** The target of each tunnel: host and port. */
  readonly tunnels: readonly string[];
  /** Returns all bytes that clients sent through the tunnels. */
  sent(): Buffer;
  stop(): void;
}

/** Removes the proxy settings of the machine from an environment. */
export function withoutProxy(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isProxy(name)));
}

const isProxy = (name: string) => /^(https?|no)_proxy$/i.test(name);

/** Starts a proxy on a free port of 127.0.0.1. The caller must stop it. */
export async function startProxy(): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const tunnels: string[] = [];
  const sent: Buffer[] = [];
  const server = createServer().on("connect", ({ url = "" }, client: Socket, head: Buffer) => {
    tunnels.push(url);
    // Bytes that arrived with the CONNECT request are already part of the tunnel.
    client.unshift(head);
    const [host, port] = url.split(":");
    const target = connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.on("data", (bytes: Buffer) => sent.push(bytes));
      client.pipe(target).pipe(client);
    });
    sockets.add(client).add(target);
    client.on("error", () => target.destroy());
    target.on("error", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    tunnels,
    sent: () => Buffer.concat(sent),
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
