/**
 * Fuzzes the built simulator with schemathesis (PyPI) against its own OpenAPI document:
 *
 *     pip install schemathesis && npm run fuzz -w simulator
 *
 * The environment variable SCHEMATHESIS sets the path of the executable. Exits with an error code if a
 * response is a 5xx or contradicts the document.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "./dist/index.js";

const projectId = "64a0c0ffee0000000000a001";
const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "negative_data_rejection",
  "unsupported_method",
  "allow_header_conformance",
  "ignored_auth",
];

const seed = {
  organizations: [
    {
      name: "acme",
      serviceAccounts: [
        { clientId: "fuzzer", clientSecret: "fuzzer-secret", roles: [{ role: "owner" }] },
      ],
    },
  ],
  projects: [
    {
      id: projectId,
      name: "orders",
      organization: "acme",
      privateIpMode: { enabled: true },
      clusters: [
        { name: "orders", peering: true, version: "6.0.5" },
        {
          name: "analytics",
          type: "SHARDED",
          privateEndpoints: [{ endpointId: "vpce-1", region: "us-east-1" }],
        },
      ],
    },
  ],
};

const folder = mkdtempSync(join(tmpdir(), "clouddb-simulator-fuzz-"));
const simulator = await startSimulator({ seed, requestsPerMinute: Infinity });
try {
  const statuses = new Map();
  let exitCode = 0;
  // The first run uses an existing project that is never deleted, the second one random paths.
  const runs = [
    {
      config: `[parameters]\n"path.projectId" = "${projectId}"\n"path.clusterName" = "orders"\n`,
      options: ["--exclude-operation-id-regex", "^delete", "--max-examples", "500"],
    },
    { config: "", options: ["--max-examples", "150"] },
  ];
  for (const { config, options } of runs) {
    const configFile = join(folder, "schemathesis.toml");
    const caFile = join(folder, "ca.pem");
    writeFileSync(configFile, config);
    writeFileSync(caFile, simulator.ca);
    const code = await run(process.env.SCHEMATHESIS ?? "schemathesis", [
      "--config-file",
      configFile,
      "run",
      `${simulator.url}/openapi.json`,
      "--tls-verify",
      caFile,
      "--header",
      `Authorization: Bearer ${await fetchToken(simulator)}`,
      "--checks",
      checks.join(","),
      "--seed",
      "1",
      "--continue-on-failure",
      "--warnings",
      "off",
      ...options,
    ]);
    exitCode ||= code;
    for (const { status } of simulator.requests) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    simulator.reset();
  }
  const total = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  const list = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} × ${status}`);
  console.log(`${total} requests: ${list.join(", ")}`);
  process.exitCode = exitCode;
} finally {
  await simulator.stop();
  rmSync(folder, { recursive: true, force: true });
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "inherit", cwd: folder });
    child.on("error", (error) => {
      reject(
        new Error(
          `Cannot run ${command}: ${error.message}. Install it with "pip install schemathesis".`,
        ),
      );
    });
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

function fetchToken({ url, ca }) {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL("/api/oauth/token", url),
      {
        ca,
        method: "POST",
        auth: "fuzzer:fuzzer-secret",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      },
      async (incoming) => {
        let text = "";
        for await (const chunk of incoming) text += chunk;
        resolve(JSON.parse(text).access_token);
      },
    );
    outgoing.on("error", reject);
    outgoing.end("grant_type=client_credentials");
  });
}
