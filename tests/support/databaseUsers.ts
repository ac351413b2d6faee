/** Every kind of database user with every form of connection string, and how the official driver reads the result. */
import dns from "node:dns";
import { MongoClient } from "mongodb";

/** What a user needs in addition to a mechanism. The driver refuses anything else. */
const users: Readonly<Record<string, { readonly username?: string; readonly password?: string }>> =
  {
    "MONGODB-X509": {},
    "MONGODB-AWS": {},
    "MONGODB-OIDC": {},
    GSSAPI: { username: "app@REALM" },
    PLAIN: { username: "app", password: "p@ss" },
    "SCRAM-SHA-1": { username: "app", password: "p@ss" },
    "SCRAM-SHA-256": { username: "app", password: "p@ss" },
    none: { username: "app", password: "p@ss" },
  };

/** Strings with the source of users with a password, as services return them, and without. */
const strings = {
  "an SRV string": "mongodb+srv://orders.ab1cd.db.example",
  "an SRV string with options":
    "mongodb+srv://orders.ab1cd.db.example/?retryWrites=true&authSource=admin",
  "a list of hosts":
    "mongodb://a.ab1cd.db.example:27017,b.ab1cd.db.example:27017/?ssl=true&authSource=admin&replicaSet=rs-0",
};

export interface UserCase {
  readonly title: string;
  readonly mechanism: string;
  readonly connectionString: string;
  readonly credentials: {
    readonly username?: string;
    readonly password?: string;
    readonly database?: string;
    readonly options: Readonly<Record<string, string>>;
  };
  /** The source that the driver must read; undefined if the sources contradict each other. */
  readonly source: string | undefined;
}

/** Returns each mechanism with each string, with and without a database, and with each source that a caller can pass. */
export function userCases(): UserCase[] {
  return Object.entries(users).flatMap(([mechanism, user]) =>
    Object.entries(strings).flatMap(([form, connectionString]) =>
      [undefined, "shop"].flatMap((database) =>
        [undefined, "$external", "other"].map((authSource) => ({
          title: `${mechanism} in ${form} with database ${database} and authSource ${authSource}`,
          mechanism,
          connectionString,
          credentials: {
            ...user,
            ...(database === undefined ? {} : { database }),
            options: {
              ...(mechanism === "none" ? {} : { authMechanism: mechanism }),
              ...(mechanism === "MONGODB-OIDC"
                ? { authMechanismProperties: "ENVIRONMENT:k8s" }
                : {}),
              ...(authSource === undefined ? {} : { authSource }),
            },
          },
          source: expectedSource(mechanism, { connectionString, database, authSource }),
        })),
      ),
    ),
  );
}

function expectedSource(
  mechanism: string,
  {
    connectionString,
    database = "admin",
    authSource,
  }: {
    readonly connectionString: string;
    readonly database: string | undefined;
    readonly authSource: string | undefined;
  },
): string | undefined {
  switch (mechanism) {
    case "PLAIN":
      return authSource ?? "$external";
    case "SCRAM-SHA-1":
    case "SCRAM-SHA-256":
    case "none":
      if (!connectionString.includes("authSource=admin")) return authSource ?? database;
      return authSource === undefined ? "admin" : undefined;
    default:
      return authSource === "other" ? undefined : "$external";
  }
}

/** Returns the source, the mechanism and the database that the driver reads in a string, without a connection. */
export function readByDriver(url: string) {
  const { credentials, dbName } = new MongoClient(url).options;
  return { source: credentials?.source, mechanism: credentials?.mechanism, database: dbName };
}

/** Returns the source after the driver has read a TXT record, before it connects. */
export async function sourceWithTxtRecord(url: string, record: string) {
  const { resolve } = dns.promises;
  const answers = { SRV: [{ name: "a.ab1cd.db.example", port: 27017 }], TXT: [[record]] };
  dns.promises.resolve = ((_name: string, type: "SRV" | "TXT") =>
    Promise.resolve(answers[type])) as typeof resolve;
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: 1,
    lookup: (_host, _options, callback) => {
      callback(new Error("no connection"), "");
    },
  });
  try {
    await client.connect().catch(() => undefined);
    return client.options.credentials?.source;
  } finally {
    dns.promises.resolve = resolve;
    await client.close();
  }
}
