/**
 * Runs a database for the connection strings in standard input, such as the output of `pulumi-clouddb strings
 * --json`, until it is killed. The user is in DATABASE_USER and DATABASE_PASSWORD.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Cleanup } from "../support/cleanup";
import { startFerretdb } from "./ferretdb";
import { startFront } from "./front";

async function main(): Promise<void> {
  const { DATABASE_USER: username = "app", DATABASE_PASSWORD: password = "app" } = process.env;
  const strings = (await text(process.stdin)).match(/mongodb(\+srv)?:[^"\s]+/g) ?? [];
  if (strings.length === 0) throw new Error("Standard input contains no connection strings.");
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.once(signal, () => process.exit());
  const cleanup: Cleanup = (release) => process.once("exit", release);
  const database = await startFerretdb(cleanup, { username, password });
  const { address, ca } = await startFront(cleanup, strings, database, "127.0.0.1");
  const folder = mkdtempSync(join(tmpdir(), "clouddb-database-"));
  cleanup(() => {
    rmSync(folder, { recursive: true });
  });
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, ca);
  console.log(JSON.stringify({ address, caFile }));
}

void main();
