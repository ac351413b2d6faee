/** Official drivers, each of which connects, authenticates, writes a document and reads it. */
import { execFileSync } from "node:child_process";
import dns from "node:dns";
import { existsSync, writeFileSync } from "node:fs";
import type { LookupFunction } from "node:net";
import { join } from "node:path";
import { MongoClient, type TopologyDescription } from "mongodb";
import { startCommand } from "../support/command";
import { type Cleanup, processFolder } from "../support/cleanup";
import { Missing } from "../support/missing";
import type { DatabaseUser } from "./ferretdb";
import type { Front } from "./front";

/** What a driver learned from a connection string. */
export interface ConnectionResult {
  readonly topology: string;
  /** The database of authentication. */
  readonly authSource: string;
  /** The addresses of the hosts that it connected to. */
  readonly addresses: readonly string[];
}

/** The network that a driver runs in. */
export interface DriverNetwork {
  /** The DNS server, as `<host>:<port>`. */
  readonly dns: string;
  /** Answers at every address. */
  readonly front: Front;
  readonly caFile: string;
  /** How long a driver looks for a server. Default: 10,000 */
  readonly timeoutMs?: number;
}

/** A string, and the user if the string does not contain one. */
export interface Connection {
  readonly url: string;
  readonly user?: DatabaseUser;
}

export interface Driver {
  readonly name: string;
  /** Installs the driver. Throws Missing if it is not available. */
  readonly install: () => void;
  readonly connect: (
    cleanup: Cleanup,
    connections: readonly Connection[],
    network: DriverNetwork,
  ) => Promise<ConnectionResult[]>;
}

const node: Driver = {
  name: "mongodb (Node.js)",
  install: () => undefined,
  async connect(_, connections, network) {
    const servers = dns.getServers();
    dns.setServers([network.dns]);
    try {
      const seen: ConnectionResult[] = [];
      for (const connection of connections) seen.push(await connectWithNode(connection, network));
      return seen;
    } finally {
      dns.setServers(servers);
    }
  },
};

async function connectWithNode(
  { url, user }: Connection,
  network: DriverNetwork,
): Promise<ConnectionResult> {
  const addresses = new Set<string>();
  let topology = "";
  const { address } = network.front;
  const lookup: LookupFunction = (host, options, callback) => {
    dns.resolve4(host, (error, found) => {
      if (error === null) for (const each of found) addresses.add(each);
      if (options.all === true) callback(error, [{ address, family: 4 }]);
      else callback(error, address, 4);
    });
  };
  const client = new MongoClient(url, {
    ...(user === undefined ? {} : { auth: user }),
    lookup,
    tlsCAFile: network.caFile,
    serverSelectionTimeoutMS: network.timeoutMs ?? 10_000,
  });
  client.on(
    "topologyDescriptionChanged",
    ({ newDescription }: { newDescription: TopologyDescription }) => {
      topology = newDescription.type;
    },
  );
  try {
    await client.connect();
    const documents = client.db("test").collection<{ value: number }>("documents");
    const { insertedId } = await documents.insertOne({ value: 1 });
    const found = await documents.findOne({ _id: insertedId });
    if (found?.value !== 1) throw new Error(`${topology}: the document cannot be read`);
    const authSource = client.options.credentials?.source ?? "";
    return { topology, authSource, addresses: [...addresses] };
  } finally {
    await client.close();
  }
}

const environment = join(processFolder, "python");

const python: Driver = {
  name: "pymongo (Python)",
  install() {
    if (existsSync(environment)) return;
    const run = (file: string, ...args: string[]) =>
      execFileSync(file, args, { stdio: ["ignore", "ignore", "pipe"] });
    try {
      run("python3", "-m", "venv", environment);
      const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
      run(join(environment, "bin", "python"), ...pip, "pymongo==4.20.0");
    } catch (error) {
      throw new Missing(`Python with pip and venv is not available: ${String(error)}`);
    }
  },
  async connect(cleanup, connections, { dns: server, front, caFile }) {
    const program = join(__dirname, "connect.py");
    const input = JSON.stringify({ connections, dns: server, address: front.address });
    const file = join(environment, "bin", "python");
    const env = { ...process.env, SSL_CERT_FILE: caFile };
    const { code, stdout, stderr } = await startCommand(cleanup, file, [program], { env, input })
      .result;
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as ConnectionResult[];
  },
};

export const drivers = { node, python };

/** Returns the network with a DNS server, in which a front answers at every address. */
export function networkIn(front: Front, server: string): DriverNetwork {
  const caFile = join(processFolder, "database-ca.pem");
  writeFileSync(caFile, front.ca);
  return { dns: server, front, caFile };
}
