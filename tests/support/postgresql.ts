/** Starts a separate PostgreSQL cluster on a free loopback port. */
import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { type Cleanup, temporaryFolder } from "./cleanup";
import { stopChild } from "./command";
import { Missing, skipIfMissing } from "./missing";
import { freePort } from "./freePort";
import { waitUntil } from "./waitUntil";

/** A running cluster. The password of its user is in PGPASSWORD, not in the URLs. */
export interface Postgresql {
  /** Creates a database. Returns its URL. */
  readonly createDatabase: (name: string) => Promise<string>;
  readonly password: string;
}

const user = "pulumi";
const password = "kept-out-of-urls";

/** Creates and starts a cluster. Throws Missing if PostgreSQL is not installed. */
async function startPostgresql(cleanup: Cleanup): Promise<Postgresql> {
  const bin = findExecutables();
  const owner = clusterOwner();
  const folder = temporaryFolder(cleanup);
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password);
  for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid);
  const data = join(folder, "data");
  const options = ["--auth=scram-sha-256", "--encoding=UTF8", "--no-sync"];
  const login = [`--username=${user}`, `--pwfile=${passwordFile}`];
  execFileSync(join(bin, "initdb"), [`--pgdata=${data}`, ...options, ...login], {
    ...owner,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const port = await freePort();
  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: folder, fsync: "off" };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(bin, "postgres"), ["-D", data, "-p", String(port), ...args], {
    ...owner,
    cwd: folder,
    stdio: "ignore",
  });
  cleanup(() => stopChild(server, "SIGINT"));
  const isReady = () =>
    runQuery(port, "select 1").then(
      () => true,
      () => false,
    );
  await waitUntil("PostgreSQL accepts connections", isReady);
  return {
    password,
    createDatabase: async (name) => {
      await runQuery(port, `create database ${name}`);
      return `postgres://${user}@127.0.0.1:${port}/${name}?sslmode=disable`;
    },
  };
}

/** Starts a cluster before all tests of the enclosing `describe`, or skips them if PostgreSQL is not installed. */
export function usePostgresql(cleanup: Cleanup): () => Postgresql {
  const servers: Postgresql[] = [];
  before("start PostgreSQL", async function () {
    try {
      servers.push(await startPostgresql(cleanup));
    } catch (error) {
      skipIfMissing(this, error);
    }
  });
  return () => {
    const [server] = servers;
    if (server === undefined) throw new Error("PostgreSQL is only available during tests");
    return server;
  };
}

/** Finds the folder of the server's programs, which Debian does not add to PATH. */
function findExecutables(): string {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian)
    ? readdirSync(debian).sort((a, b) => Number(b) - Number(a))
    : [];
  const folders = [
    ...(process.env["PATH"] ?? "").split(":"),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  const found = folders.find((folder) => existsSync(join(folder, "initdb")));
  if (found === undefined) throw new Missing("PostgreSQL is not installed");
  return found;
}

/** Returns the user that runs the server, which refuses to run as root. */
function clusterOwner(): { uid: number; gid: number } {
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  if (uid !== 0) return { uid, gid };
  const idOf = (option: string) => {
    const output = execFileSync("id", [option, "postgres"], { encoding: "utf8", stdio: "pipe" });
    return Number(output);
  };
  try {
    return { uid: idOf("-u"), gid: idOf("-g") };
  } catch {
    throw new Missing("PostgreSQL does not run as root, and there is no user postgres");
  }
}

async function runQuery(port: number, sql: string): Promise<void> {
  const client = new Client({ host: "127.0.0.1", port, user, password, database: "postgres" });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
