/** A PostgreSQL cluster of its own, for stacks whose backend is a database. */
import { type SpawnOptions, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A running PostgreSQL cluster. */
export interface Postgresql {
  /** The URL of its database, for `pulumi login`. It has no password. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a cluster on a free port of 127.0.0.1, with its data in a temporary folder. The caller must
 * stop it.
 *
 * @returns undefined if PostgreSQL is not installed
 */
export async function startPostgresql(): Promise<Postgresql | undefined> {
  const bin = binaries();
  if (bin === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "clouddb-postgresql-"));
  // PostgreSQL refuses to run as root: Debian's package creates this user.
  const owner = process.getuid?.() === 0 ? userNamed("postgres") : {};
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid ?? -1);
  const data = join(folder, "data");
  const options: SpawnOptions = { ...owner, cwd: folder, stdio: "ignore" };
  const init = ["--pgdata", data, "--username", "pulumi", "--auth", "trust", "--no-sync"];
  execFileSync(join(bin, "initdb"), init, { ...owner, cwd: folder, stdio: "ignore" });
  const port = await freePort();
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-k", folder, "-F"],
    options,
  );
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) {
      server.kill("SIGINT"); // Closes connections, unlike SIGTERM.
      await once(server, "exit");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const ready = ["-h", "127.0.0.1", "-p", String(port), "-q"];
  for (let waited = 0; !succeeds(join(bin, "pg_isready"), ready); waited += 100) {
    if (waited > 60_000 || server.exitCode !== null) {
      await stop();
      throw new Error("PostgreSQL did not start within 60 s");
    }
    await sleep(100);
  }
  return { url: `postgres://pulumi@127.0.0.1:${port}/postgres?sslmode=disable`, stop };
}

/** Returns the folder of the server's programs, which Debian does not put on PATH. */
function binaries(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : [];
  return [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter),
  ].find((folder) => existsSync(join(folder, "initdb")));
}

function userNamed(name: string): { uid?: number; gid?: number } {
  const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function succeeds(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
