/**
 * Public clients of MongoDB Atlas, which nobody wrote for the simulator, against its profile v2. Each prints what the
 * same calls returned. They are installed from their registries, with the versions of the files beside this one.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";
import { buildWithGo } from "../support/goProgram";
import { skipIfMissing } from "../support/missing";
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

/** What a client prints. `rest` is the list after the deletions. */
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

const older = { profile: "v2", apiPath: "/api/atlas/v1.0" } as const;

const rows: readonly [
  name: string,
  settings: ServiceSettings,
  program: () => Program,
  ...options: string[],
][] = [
  ["pyatlassdk with an API key", { profile: "v2" }, python],
  ["go.mongodb.org/atlas with an API key", older, go, "digest"],
  ["go.mongodb.org/atlas with a service account", older, go, "oauth"],
];

describe("the simulator serves a public client,", () => {
  const start = useOwnServices();
  const cleanup = useCleanup("test");

  for (const [name, settings, program, ...options] of rows) {
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
      const env = { ...process.env, ...trusted };
      const { stdout, stderr } = await startCommand(cleanup, file, args, { env }).result;
      assert.deepEqual(JSON.parse(stdout || "{}"), expected, stderr);
    });
  }
});
