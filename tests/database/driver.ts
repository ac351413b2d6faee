/** The official driver for Node.js, which connects, authenticates, writes a document and reads it. */
import dns from "node:dns";
import { writeFileSync } from "node:fs";
import type { LookupFunction } from "node:net";
import { join } from "node:path";
import { MongoClient, type TopologyDescription } from "mongodb";
import { processFolder } from "../support/cleanup";
import type { DatabaseUser } from "./ferretdb";
import type { Front } from "./front";

/** What the driver learned from a connection string. */
interface ConnectionResult {
  readonly topology: string;
  /** The database of authentication. */
  readonly authSource: string;
}

/** The network that the driver runs in. */
export interface DriverNetwork {
  /** The DNS server, as `<host>:<port>`. */
  readonly dns: string;
  /** Answers at every address. */
  readonly front: Front;
  readonly caFile: string;
}

/** A string, and the user if the string does not contain one. */
interface Connection {
  readonly url: string;
  readonly user?: DatabaseUser;
}

/** Connects, and throws unless the document that it writes can be read. */
export async function connect(
  { url, user }: Connection,
  network: DriverNetwork,
): Promise<ConnectionResult> {
  const servers = dns.getServers();
  dns.setServers([network.dns]);
  let topology = "";
  const { address } = network.front;
  const lookup: LookupFunction = (host, options, callback) => {
    dns.resolve4(host, (error) => {
      if (options.all === true) callback(error, [{ address, family: 4 }]);
      else callback(error, address, 4);
    });
  };
  const client = new MongoClient(url, {
    ...(user === undefined ? {} : { auth: user }),
    lookup,
    tlsCAFile: network.caFile,
    serverSelectionTimeoutMS: 10_000,
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
    return { topology, authSource };
  } finally {
    await client.close();
    dns.setServers(servers);
  }
}

/** Returns the network with a DNS server, in which a front answers at every address. */
export function networkIn(front: Front, server: string): DriverNetwork {
  const caFile = join(processFolder, "database-ca.pem");
  writeFileSync(caFile, front.ca);
  return { dns: server, front, caFile };
}
