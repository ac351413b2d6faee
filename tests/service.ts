/** The service that tests talk to: the simulator, over TLS, with the quickstart's project. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Seed, type Simulator, startSimulator } from "clouddb-simulator";

export const projectId = "64a0c0ffee0000000000a001";

/** The API key of the quickstart's seed. */
export const key = { publicKey: "demo", privateKey: "demo-secret" };

export function quickstartSeed(): Seed {
  const path = join(__dirname, "..", "examples", "quickstart", "seed.json");
  return JSON.parse(readFileSync(path, "utf8")) as Seed;
}

export function startService(seed: Seed = quickstartSeed()): Promise<Simulator> {
  return startSimulator({ seed, port: 0 });
}

/** The provider's settings for the service, as environment variables. */
export function settingsFor(service: Pick<Simulator, "url" | "ca">): Record<string, string> {
  const caFile = join(mkdtempSync(join(tmpdir(), "clouddb-ca-")), "ca.pem");
  writeFileSync(caFile, service.ca);
  return {
    CLOUDDB_BASE_URL: service.url,
    CLOUDDB_CA_FILE: caFile,
    CLOUDDB_PUBLIC_KEY: key.publicKey,
    CLOUDDB_PRIVATE_KEY: key.privateKey,
  };
}
