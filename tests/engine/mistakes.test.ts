import assert from "node:assert/strict";
import { missingProjectId, projectId, settingsFor } from "../service";
import { collectDiagnostics } from "./stack";
import { useStack } from "./useStack";

describe("a mistake in the settings or arguments of a stack", () => {
  const { service, createStack } = useStack();

  const lookup = (id: string, clusterName: string) =>
    `new clouddb.ClusterConnectionStrings("lookup", { projectId: "${id}", clusterName: "${clusterName}" });`;

  const mistakes: {
    mistake: string;
    program?: string;
    settings?: Record<string, string>;
    message: RegExp;
  }[] = [
    {
      mistake: "a missing base URL",
      settings: { CLOUDDB_BASE_URL: "" },
      message:
        /clouddb:baseUrl \(or CLOUDDB_BASE_URL\) is not set: pulumi config set clouddb:baseUrl/,
    },
    {
      mistake: "a missing key",
      settings: { CLOUDDB_PRIVATE_KEY: "" },
      message: /clouddb:privateKey \(or CLOUDDB_PRIVATE_KEY\) is not set/,
    },
    {
      mistake: "a base URL without TLS",
      settings: { CLOUDDB_BASE_URL: "http://127.0.0.1:1" },
      message: /clouddb:baseUrl .*must start with https:\/\//,
    },
    {
      mistake: "an invalid key",
      settings: { CLOUDDB_PRIVATE_KEY: "wrong" },
      message: /401.*Check the API key .*API access list/,
    },
    {
      mistake: "an unknown project",
      program: lookup(missingProjectId, "orders"),
      message: /404.*Check the project ID/,
    },
    {
      mistake: "an unknown cluster",
      program: lookup(projectId, "order"),
      message: /has no cluster order\. The nearest .*: orders, /,
    },
    {
      mistake: "a certificate that is not trusted",
      settings: { CLOUDDB_CA_FILE: "" },
      message: /certificate of https:\/\/127\.0\.0\.1:\d+ is not trusted.*set caFile/,
    },
  ];

  for (const { mistake, program = lookup(projectId, "orders"), settings, message } of mistakes) {
    it(`causes one error without a stack trace: ${mistake}`, async () => {
      const environment = { ...settingsFor(service), ...settings };
      const { stack, failure } = await createStack(program, { environment });
      const { messages, onEvent } = collectDiagnostics("error");
      const output = await failure(stack.preview({ onEvent }));
      assert.equal(messages.length, 1);
      assert.match(messages[0] ?? "", message);
      assert.doesNotMatch(output, /\n\s+at /);
    });
  }
});
