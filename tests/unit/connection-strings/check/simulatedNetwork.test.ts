/** The check of a string with the DNS of the simulator and hosts that speak TLS. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { Open } from "../../../../connection-strings/src/check/connections";
import { doctor } from "../../../../provider/src/commands/doctor";
import { startFront } from "../../../database/front";
import { runCommand } from "../../../lifecycles/commands/runCommand";
import { temporaryFolder, useCleanup } from "../../../support/cleanup";
import { projectId, settingsFor, useService } from "../../../support/service";
import { type CheckedNetwork, checkString } from "./runCheck";

const guide = readFileSync(
  join(__dirname, "../../../../docs/guides/connection-strings.md"),
  "utf8",
);

describe("the check of a string, in the simulated network", () => {
  const cleanup = useCleanup("file");
  const service = useService(undefined, { dns: {}, scheme: "mongodb" });
  const found = new Map<string, string>();
  let open: Open;
  let trusted: string;

  before("start the hosts", async () => {
    const args = ["--project", projectId, "--json"];
    const { stdout } = await runCommand(doctor, args, settingsFor(service));
    for (const [, name = "", url = ""] of stdout.matchAll(
      /"(\w+)": "(mongodb(?:\+srv)?:[^"]*)"/g,
    )) {
      const [, cluster = ""] = /\/\/(\w+)/.exec(url) ?? [];
      found.set(`${cluster} ${name}`, url);
    }
    const front = await startFront(cleanup, [...found.values()], 0);
    open = (_, port) => connect(port, front.address);
    const caFile = join(temporaryFolder(cleanup), "ca.pem");
    writeFileSync(caFile, front.ca);
    trusted = `tlsCAFile=${encodeURIComponent(caFile)}`;
  });

  const withAuthority = (url = "") => `${url}${url.includes("?") ? "&" : "/?"}${trusted}`;
  const checkFound = (
    name: string,
    from: "internet" | "peeredNetwork",
    network: Pick<CheckedNetwork, "open"> = { open },
  ) => checkString(withAuthority(found.get(name)), { resolver: service.dns?.[from], ...network });

  it("reports each step as in the guide, with private addresses in a peered network", async () => {
    const { report, isReachable } = await checkFound("orders privateSrv", "peeredNetwork");
    assert.equal(isReachable, true);
    assert.ok(guide.includes(`\n${report}\n\`\`\`\n`), report);
  });

  it("reports public addresses outside of a peered network, and one load balancer", async () => {
    const { report } = await checkFound("orders standardSrv", "internet");
    assert.match(report, /^ok +addresses +\S+ +203\.0\.113\.\d+ \(public\), [^]*\nReachable\.$/m);
    const optimized = (await checkFound("analytics optimizedSrv", "peeredNetwork")).report;
    assert.match(optimized, /\nReachable\.$/);
    assert.equal(optimized.match(/^ok +TLS/gm)?.length, 1);
  });

  it("reports names of hosts that do not exist, and a host list without TLS", async () => {
    const url = found.get("billing standard") ?? "";
    for (const [text, expected] of [
      [
        url.replaceAll("billing-", "biling-"),
        /addresses .*the name does not exist\n[^]*\nUsual causes: a name that .* than 127\.0\.0\.1:\d+ knows\..* --resolver\.$/,
      ],
      [
        url.replace("ssl=true&", ""),
        /options .*drivers do not use TLS without [^]*\nNot reachable\. Set tls=true in the options of the string\.$/,
      ],
    ] as const) {
      const { report } = await checkString(text, { resolver: service.dns?.internet, open });
      assert.match(report, expected);
    }
  });

  it("reports no problem of the network after a programming error", async () => {
    const broken = () => {
      throw new TypeError("x is not a function");
    };
    const { report } = await checkFound("orders privateSrv", "peeredNetwork", { open: broken });
    assert.match(report, /^TypeError: x is not a function\n +at /);
  });
});
