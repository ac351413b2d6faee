/** Public clients of Atlas, which nobody wrote for the simulator. Each prints what the same calls returned. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";
import { buildWithGo } from "../support/goProgram";
import { Missing, skipIfMissing } from "../support/missing";
import { pythonEnvironment } from "../support/pythonEnvironment";
import {
  type ServiceSettings,
  account,
  key,
  projectId,
  settingsFor,
  useOwnServices,
} from "../support/service";

const roles = [{ projectId, role: "owner" as const }];
const seed = {
  organizations: [
    {
      name: "acme",
      apiKeys: [{ ...key, roles }],
      serviceAccounts: [{ ...account, roles }],
    },
  ],
  projects: [
    {
      id: projectId,
      name: "orders",
      organization: "acme",
      privateIpMode: { enabled: true },
      clusters: [
        { name: "orders", version: "7.0.12" },
        { name: "sharded", type: "SHARDED" as const, version: "8.0.4" },
        { name: "legacy", version: "6.0.5" },
      ],
    },
  ],
};

/** What a client prints that has all calls. `rest` is the list after the deletions. */
const expected = {
  list: ["orders", "sharded", "legacy"],
  pages: ["orders", "sharded", "legacy"],
  version: "8.0.4",
  missing: "CLUSTER_NOT_FOUND",
  mode: true,
  refused: "CANNOT_UPDATE_PRIVATE_IP_MODE",
  created: "CREATING",
  rest: ["orders", "sharded"],
  disabled: false,
};

type Program = readonly [command: string, ...args: string[]];

const python = (): Program => {
  const requirements = ["--requirement", join(__dirname, "requirements.txt")];
  const environment = pythonEnvironment("python-clients", () => requirements);
  return [join(environment, "bin", "python"), join(__dirname, "client.py")];
};

const go = (): Program => [buildWithGo(__dirname, "public-client", ".")];

const nodeClient = "mongodb-atlas-api-client@4.19.0";

const node = (): Program => {
  const folder = join(processFolder, "clients");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), "{}");
  const install = ["install", "--silent", "--no-audit", "--no-fund", nodeClient];
  try {
    execFileSync("npm", install, { cwd: folder, shell: process.platform === "win32" });
  } catch (error) {
    throw new Missing(`${nodeClient} cannot be installed: ${String(error)}`);
  }
  copyFileSync(join(__dirname, "client.js"), join(folder, "client.js"));
  return [process.execPath, join(folder, "client.js")];
};

const older = { profile: "atlas", apiPath: "/api/atlas/v1.0" } as const;
const dated = { profile: "atlas" } as const;
const noMode = ["mode", "refused", "disabled"];

const rows: readonly {
  readonly name: string;
  readonly settings: ServiceSettings;
  readonly program: () => Program;
  readonly options?: readonly string[];
  /** The calls that it does not have, or with further fields of Atlas. */
  readonly lacks?: readonly string[];
}[] = [
  {
    name: "atlasapi with an API key",
    settings: older,
    program: python,
    options: ["atlasapi"],
    lacks: [...noMode, "created"],
  },
  {
    name: "pyatlassdk with an API key",
    settings: dated,
    program: python,
    options: ["pyatlassdk"],
  },
  {
    name: "go.mongodb.org/atlas with an API key",
    settings: older,
    program: go,
    options: ["digest"],
  },
  {
    name: "go.mongodb.org/atlas with a service account",
    settings: older,
    program: go,
    options: ["oauth"],
  },
  {
    name: "mongodb-atlas-api-client with an API key",
    settings: dated,
    program: node,
    lacks: noMode,
  },
];

describe("the simulator serves a public client,", () => {
  const start = useOwnServices();
  const cleanup = useCleanup("test");

  for (const { name, settings, program, options = [], lacks = [] } of rows) {
    it(name, async function () {
      const command: string[] = [];
      try {
        command.push(...program(), ...options);
      } catch (error) {
        skipIfMissing(this, error);
      }
      const service = await start(seed, settings);
      const { CLOUDDB_CA_FILE: caFile } = settingsFor(service);
      const [file, ...args] = [...command, service.url, projectId];
      const trusted = { SSL_CERT_FILE: caFile, REQUESTS_CA_BUNDLE: caFile };
      const env = { ...process.env, ...trusted, NODE_EXTRA_CA_CERTS: caFile };
      const { stdout, stderr } = await startCommand(cleanup, file, args, { env }).result;
      const calls = Object.entries(expected).filter(([call]) => !lacks.includes(call));
      assert.deepEqual(JSON.parse(stdout || "{}"), Object.fromEntries(calls), stderr);
    });
  }
});
