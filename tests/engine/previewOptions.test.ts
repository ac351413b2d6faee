/** What Pulumi's options and the ends of its commands mean for a report, as docs/guides/continuous-integration.md says. */
import assert from "node:assert/strict";
import { join } from "node:path";
import * as clouddb from "pulumi-clouddb";
import { buildReport } from "../../provider/src/report/decide/buildReport";
import { readEventLog } from "../../provider/src/report/read/eventLog";
import { projectId } from "../support/service";
import { useStack } from "./useStack";

const cli = join(__dirname, "../..", "provider/bin/pulumi-clouddb.js");

describe("a report of the real CLI", () => {
  const { service, createStack, createInline, run } = useStack();
  const program = (network: string) => `
new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: true });
new clouddb.ClusterConnectionStrings("orders", { projectId: "${projectId}", clusterName: "orders", network: { kind: "${network}" } });`;
  const urn = (type: string, name: string) =>
    `urn:pulumi:test::tested::pulumi-nodejs:dynamic/clouddb:${type}::${name}`;
  const mode = urn("PrivateIpMode", "mode");
  const lookup = urn("ClusterConnectionStrings", "orders");

  it("is limited by PULUMI_OPTION_TARGET and PULUMI_OPTION_EXCLUDE, and fails with PULUMI_OPTION_EXPECT_NO_CHANGES", async () => {
    const tested = await createStack(program("peering"));
    await tested.stack.up();
    tested.program(program("internet"));
    const expect = "PULUMI_OPTION_EXPECT_NO_CHANGES";
    for (const [variables, code, outcome, isLimited] of [
      [{ PULUMI_OPTION_TARGET: mode }, 0, "no changes", true],
      [{ PULUMI_OPTION_TARGET: `${mode},${lookup}` }, 0, "changes", true],
      [{ PULUMI_OPTION_TARGET: "" }, 0, "changes", false],
      [{ PULUMI_OPTION_EXCLUDE: lookup, [expect]: "true" }, 0, "no changes", true],
      [{ [expect]: "1" }, 1, "changes", false],
    ] as const) {
      const args = [cli, "preview", "--stack", "test"];
      const command = run(tested, process.execPath, args, { environment: variables });
      const { code: actual, stdout, stderr } = await command.result;
      assert.deepEqual([actual, stderr], [code, ""], stdout);
      assert.match(stdout, new RegExp(`^tested/test: ${outcome}\n`));
      assert.equal(/so other resources were not checked/.test(stdout), isLimited);
    }
  });

  it("shows only what changed in the service if a refresh is previewed", async () => {
    const output = 'exports.region = "us-east-1";';
    const tested = await createStack(`${program("peering")}\n${output}`);
    await tested.stack.up();
    tested.program(program("internet"));
    service.project().setPrivateIpMode(false);
    const args = ["refresh", "--preview-only", "--json", "--stack", "test", "--non-interactive"];
    const environment = { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" };
    const { code, stdout } = await run(tested, "pulumi", args, { environment }).result;
    assert.equal(code, 0);
    const report = buildReport({ preview: readEventLog(stdout, "the log") });
    const { title, outcome, changes, outputs } = report;
    assert.deepEqual([title, outcome, outputs], ["tested/test", "changed", []]);
    assert.deepEqual(
      changes.map(({ op, name, from, to }) => [op, name, from, to]),
      [["refresh", "mode", "on", "off"]],
    );
  });

  it("shows a lookup as deleted if it is declared inside apply of an unknown output, but keeps it", async () => {
    const declare = () =>
      new clouddb.ClusterConnectionStrings("orders", { projectId, clusterName: "orders" });
    const tested = await createInline(() => {
      declare();
      return Promise.resolve({});
    });
    await tested.stack.up();
    tested.program(() => {
      const connectionString = "db+srv://orders.ab1cd.clusters.example";
      const { url } = new clouddb.DatabaseUrl("orders", {
        connectionString,
        username: "app",
        password: "never-shown",
      });
      return Promise.resolve({ host: url.apply(() => declare().recommended) });
    });
    const { changeSummary } = await tested.stack.preview();
    assert.deepEqual(changeSummary, { create: 1, delete: 1, same: 1 });
    const { summary } = await tested.stack.up();
    assert.deepEqual(summary.resourceChanges, { create: 1, same: 2 });
  });
});
