/** A database server on loopback that drivers can use: FerretDB with SQLite, built from its Go module. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type Cleanup, temporaryFolder } from "../support/cleanup";
import { stopChild } from "../support/command";
import { freePort } from "../support/freePort";
import { buildPublished } from "../support/goProgram";
import { waitUntil } from "../support/waitUntil";

export interface DatabaseUser {
  readonly username: string;
  readonly password: string;
}

/**
 * Starts an empty server.
 *
 * @param cleanup stops the server and removes its files
 * @returns its port, which speaks plain text
 * @throws Missing if Go is not installed, or the modules cannot be downloaded
 */
export async function startFerretdb(cleanup: Cleanup, user: DatabaseUser): Promise<number> {
  const program = buildFerretdb();
  const folder = temporaryFolder(cleanup);
  const port = await freePort();
  const options = {
    "listen-addr": `127.0.0.1:${port}`,
    "debug-addr": "-",
    handler: "sqlite",
    "sqlite-url": `file:${folder}/`,
    "state-dir": folder,
    telemetry: "disable",
    // With authSource=admin, the server finds only users of the database admin.
    "setup-database": "admin",
    "setup-username": user.username,
    "setup-password": user.password,
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const server = spawn(program, ["--test-enable-new-auth", ...args], { stdio: "ignore" });
  cleanup(() => stopChild(server, "SIGKILL"));
  const isListening = async () => {
    const socket = connect(port, "127.0.0.1");
    const [connected] = await Promise.allSettled([once(socket, "connect")]);
    socket.destroy();
    return connected.status === "fulfilled";
  };
  await waitUntil("the database accepts connections", isListening);
  return port;
}

function buildFerretdb(): string {
  const version = "v1.24.2";
  return buildPublished({
    name: "ferretdb",
    module: "github.com/FerretDB/FerretDB",
    version,
    target: "./cmd/ferretdb",
    tags: ["ferretdb_no_postgresql"],
    prepare(sources) {
      // The module lacks the file with its version.
      writeFileSync(join(sources, "build", "version", "version.txt"), `${version}\n`);
    },
  });
}
