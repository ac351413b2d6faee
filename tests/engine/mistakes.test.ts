import assert from "node:assert/strict";
import { missingProjectId, projectId, settingsFor } from "../service";
import { collectDiagnostics } from "./stack";
import { useStack } from "./useStack";

describe("a mistake in the settings or arguments of a stack", () => {
  const { service, createStack } = useStack();

  const lookup = (id: string, clusterName: string) =>
    `new clouddb.ClusterConnectionStrings("lookup", { projectId: "${id}", clusterName: "${clusterName}" });`;

  const mistakes: {
    what: string;
    program?: string;
    settings?: Record<string, string>;
    says: RegExp;
  }[] = [
    {
      what: "a missing base URL",
      settings: { CLOUDDB_BASE_URL: "" },
      says: /clouddb:baseUrl \(or CLOUDDB_BASE_URL\) is not set: pulumi config set clouddb:baseUrl/,
    },
    {
      what: "a missing key",
      settings: { CLOUDDB_PRIVATE_KEY: "" },
      says: /clouddb:privateKey \(or CLOUDDB_PRIVATE_KEY\) is not set/,
    },
    {
      what: "a base URL without TLS",
      settings: { CLOUDDB_BASE_URL: "http://127.0.0.1:1" },
      says: /clouddb:baseUrl .*must start with https:\/\//,
    },
    {
      what: "an invalid key",
      settings: { CLOUDDB_PRIVATE_KEY: "wrong" },
      says: /401.*Check the API key .*API access list/,
    },
    {
      what: "an unknown project",
      program: lookup(missingProjectId, "orders"),
      says: /404.*Check the project ID/,
    },
    {
      what: "an unknown cluster",
      program: lookup(projectId, "order"),
      says: /has no cluster order\. The nearest .*: orders, /,
    },
    {
      what: "a certificate that is not trusted",
      settings: { CLOUDDB_CA_FILE: "" },
      says: /certificate of https:\/\/127\.0\.0\.1:\d+ is not trusted.*set caFile/,
    },
  ];

  for (const { what, program = lookup(projectId, "orders"), settings, says } of mistakes) {
    it(`causes one error without a stack trace if it is ${what}`, async () => {
      const environment = { ...settingsFor(service), ...settings };
      const { stack, failure } = await createStack(program, { environment });
      const { messages, onEvent } = collectDiagnostics("error");
      const output = await failure(stack.preview({ onEvent }));
      assert.equal(messages.length, 1);
      assert.match(messages[0] ?? "", says);
      assert.doesNotMatch(output, /\n\s+at /);
    });
  }
});
