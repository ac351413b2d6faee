/** The official driver for Node.js, which connects, authenticates, writes a document and reads it. */
import dns from "node:dns";
import type { LookupFunction } from "node:net";
import { MongoClient, type TopologyDescription } from "mongodb";
import type { DatabaseUser } from "./ferretdb";

/** The network that the driver runs in. */
export interface DriverNetwork {
  /** The DNS server, as `<host>:<port>`. */
  readonly dns: string;
  /** The address that replaces those of the hosts. */
  readonly address: string;
  readonly caFile: string;
}

/** A string, and the user if the string does not contain one. */
interface Connection {
  readonly url: string;
  readonly user?: DatabaseUser;
}

/** Connects, writes and reads a document, and returns the topology and the database of authentication. */
export async function connect({ url, user }: Connection, network: DriverNetwork) {
  const servers = dns.getServers();
  dns.setServers([network.dns]);
  let topology = "";
  const { address } = network;
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
