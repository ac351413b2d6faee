/** What Pulumi's options and the ends of its commands mean for a report, as docs/guides/continuous-integration.md says. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { buildReport } from "../../provider/src/report/decide/buildReport";
import { readEventLog } from "../../provider/src/report/read/eventLog";
import { projectId } from "../support/service";
import { useStack } from "./useStack";

const cli = join(__dirname, "../..", "provider/bin/pulumi-clouddb.js");

describe("a report of the real CLI", () => {
  const { service, createStack, run } = useStack();
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

  it("is of the same events without checkpoints, which the command leaves out", async () => {
    const tested = await createStack(program("peering"));
    await tested.stack.up();
    tested.program(`${program("internet")}\nexports.changed = 1;`);
    const args = ["preview", "--json", "--stack", "test", "--non-interactive"];
    const events = async (skipped: string) => {
      const environment = {
        PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
        PULUMI_SKIP_CHECKPOINTS: skipped,
      };
      const { code, stdout } = await run(tested, "pulumi", args, { environment }).result;
      assert.equal(code, 0);
      const dropped = ["sequence", "timestamp", "durationSeconds"];
      return stdout
        .trim()
        .split("\n")
        .filter((line) => !line.includes('"severity":"debug"'))
        .map((line) =>
          JSON.stringify(JSON.parse(line), (key, value: unknown) =>
            dropped.includes(key) ? undefined : value,
          ),
        )
        .sort();
    };
    const all = await events("false");
    assert.ok(all.length > 5);
    assert.deepEqual(await events("true"), all);
  });
});
