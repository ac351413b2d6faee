import assert from "node:assert/strict";
import { strings as command } from "../../../provider/src/commands/strings";
import { projectId, settingsFor, useService } from "../../support/service";
import { runCommand } from "./runCommand";

describe("pulumi-clouddb strings --if-moved-to", () => {
  const service = useService();
  const strings = (cluster: string, ...args: string[]) =>
    runCommand(
      command,
      ["--project", projectId, "--cluster", cluster, ...args],
      settingsFor(service),
    );

  /** Returns the lines of a section of the output, without their indentation. */
  const section = (stdout: string, title: string) => {
    const [, lines = ""] = new RegExp(`^${title}:\n((?: {2}.*\n)*)`, "m").exec(stdout) ?? [];
    return lines.split("\n").map((line) => line.trim());
  };

  it("prints what happens to each string, the steps, the warnings and the facts", async () => {
    const { code, stdout, stderr } = await strings("orders", "--if-moved-to", "B");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(
      section(stdout, "Strings").join("\n"),
      /^privateSrv +unchanged +db\+srv:\/\/orders-pri\./m,
    );
    const [peering = "", move = ""] = section(stdout, "Steps");
    assert.match(peering, /^1\. Change the applications in peered networks .*\(table\)$/);
    assert.match(move, /^2\. Change the provider of the cluster to provider B.*\(rule 10\)$/);
    assert.match(
      section(stdout, "Warnings")[0] ?? "",
      /^- .* configure it in provider B.*\(rule 3\)$/,
    );
    const facts = section(stdout, "Facts").join("\n");
    for (const fact of [
      /^provider +A +from the service$/m,
      /^createdAt +2024-05-01T00:00:00Z +from the service$/m,
      /^regions +us-east-1 +from the service$/m,
      /^peered +yes +from the service$/m,
    ]) {
      assert.match(facts, fact);
    }
  });

  it("reads private IP mode only if the plan depends on it [2.6 rule 11]", async () => {
    const modeReads = () =>
      service.requests.filter(({ path }) => path.endsWith("/privateIpMode")).length;
    const moved = await strings("orders", "--if-moved-to", "B");
    assert.equal(modeReads(), 0);
    const spread = await strings("orders", "--if-moved-to", "B:westeurope,B:northeurope");
    assert.equal(modeReads(), 1);
    assert.doesNotMatch(moved.stdout, /private IP mode|privateIpMode/);
    assert.match(spread.stdout, /Disable private IP mode of the project.*\(rule 11\)/);
    assert.match(spread.stdout, /privateIpMode +yes +from the service/);
  });

  /** Responds with a cluster that has only the required fields and these ones. */
  const respondWith = (fields: object) => {
    const connectionStrings = { standard: "db://a-shard-00-00.ab1cd.db.example:27017" };
    const record = { name: "a", dbVersion: "7.0.1", connectionStrings, ...fields };
    const body = { results: [record], totalCount: 1 };
    service.faults.push({ path: /\/clusters$/, withCredentials: true, status: 200, body });
  };

  it("says which facts are assumed, and which option sets a missing one", async () => {
    respondWith({ providerSettings: { providerName: "B" } });
    const { code, stdout } = await strings("a", "--if-moved-to", "A");
    assert.equal(code, 0);
    const facts = section(stdout, "Facts");
    assert.ok(
      facts.some((line) => /^tier +dedicated +assumed, change it with --fact tier=/.test(line)),
    );
    assert.ok(
      facts.some((line) => /^createdAt +not known +add --fact createdAt=a date/.test(line)),
    );
    const steps = section(stdout, "Steps").join("\n");
    assert.match(steps, /^1\. Unless the cluster was created before 3 November 2020: Change the/m);
    assert.match(steps, /^2\. If the cluster was created before 3 November 2020: Add read-only/m);
    assert.match(stdout, /^ +standard +may change /m);
  });

  it("takes facts from --fact, which override those of the service", async () => {
    respondWith({ providerSettings: { providerName: "AWS" }, createDate: "2024-05-01T00:00:00Z" });
    const facts = ["--fact", "provider=B", "--fact", "createdAt=2020-11-03T01:00:00+02:00"];
    const { code, stdout, stderr } = await strings("a", "--if-moved-to", "A", ...facts);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^ +provider +B +from --fact$/m);
    assert.match(section(stdout, "Steps")[0] ?? "", /^1\. Add read-only nodes in provider A/);
  });

  it("ignores malformed facts of the service", async () => {
    respondWith({
      ...{ tier: ["FREE"], createDate: "\u001b[2J", clusterType: "zz" },
      providerSettings: { providerName: "B", regionNames: [1] },
    });
    const { code, stdout } = await strings("a", "--if-moved-to", "A", "--json");
    assert.equal(code, 0);
    const { facts } = JSON.parse(stdout) as { facts: { fact: string }[] };
    const names = facts.map(({ fact }) => fact);
    assert.deepEqual(names.sort(), [
      ...["optimized", "peered", "privateEndpoints", "provider", "tier", "version"],
    ]);
  });

  it("lists strings of unknown kinds", async () => {
    const connectionStrings = { analyticsSrv: "db+srv://a-an.ab1cd.db.example", count: 1 };
    respondWith({ providerSettings: { providerName: "A" }, connectionStrings });
    const { stdout } = await strings("a", "--if-moved-to", "B");
    assert.deepEqual(section(stdout, "Strings"), [
      "others.analyticsSrv  not documented  db+srv://a-an.ab1cd.db.example",
      "",
    ]);
  });

  it("does not conclude anything from strings that a new cluster lacks [2.6 rule 3]", async () => {
    service.project().updateCluster("orders", { state: "CREATING", pendingStrings: ["private"] });
    const { stdout } = await strings("orders", "--if-moved-to", "B");
    assert.match(stdout, /^ +peered +not known +add --fact peered=yes or no$/m);
  });

  it("prints the plan as JSON, and agrees with what the service does [2.6 rules 4, 6 and 10]", async () => {
    for (const [name, target, change] of [
      ["orders", "C", { provider: "C" }],
      ["billing", "B", { provider: "B" }],
      ["analytics", "B", { provider: "B" }],
      ["analytics", "A:us-east-1,A:eu-west-1", { regionalizedPrivateEndpoints: false }],
    ] as const) {
      const facts = name === "analytics" ? ["--fact", "regionalized=no"] : [];
      const before = await strings(name, "--if-moved-to", target, "--json", ...facts);
      const result = JSON.parse(before.stdout) as {
        strings: { change: string; connectionString: string }[];
      };
      service.project().updateCluster(name, change);
      const { stdout } = await strings(name, "--json");
      for (const { change: kind, connectionString } of result.strings) {
        const remains = stdout.includes(JSON.stringify(connectionString));
        if (kind === "unchanged") assert.ok(remains, connectionString);
        if (kind === "ends") assert.ok(!remains, connectionString);
      }
      assert.ok(result.strings.length > 0);
    }
  });

  const list = /--if-moved-to must be a list of providers/;
  for (const [expectedCode, args, expected] of [
    [1, "order --if-moved-to B", /^project .* has no cluster order\. .*orders/],
    [2, "orders --if-moved-to A:x,D", /must be a list of .* \(A, B or C\).*"A:x,D"; see /],
    [2, "orders --if-moved-to=", list],
    [2, "orders --if-moved-to A:", list],
    [
      2,
      "orders --if-moved-to B --fact customDNs=yes",
      /unknown --fact customDNs; did you mean customDns\?/,
    ],
    [
      2,
      "orders --if-moved-to B --fact createdAt=2019-02-30",
      /--fact createdAt must be a date such as 2019-06-03, not "2019-02-30"/,
    ],
    [2, "orders --if-moved-to B --fact peered", /must be yes or no/],
    [2, "orders --fact peered=yes", /--fact requires --if-moved-to; see/],
    [
      2,
      "orders --if-moved-to B --network peering",
      /--network cannot be combined with --if-moved-to, which/,
    ],
  ] as const) {
    it(`exits ${expectedCode} with ${args}, and prints nothing to standard output`, async () => {
      const [cluster = "", ...options] = args.split(" ");
      const { code, stdout, stderr } = await strings(cluster, ...options);
      assert.deepEqual([code, stdout], [expectedCode, ""]);
      assert.match(stderr, expected);
    });
  }

  const move = ["--if-moved-to", "B"];

  it("exits 2 without --cluster", async () => {
    const args = ["--project", projectId, ...move];
    const { code, stderr } = await runCommand(command, args, settingsFor(service));
    assert.equal(code, 2);
    assert.match(stderr, /--if-moved-to requires --cluster; see/);
  });

  it("exits 2 if the provider of the cluster is not known, and names the option", async () => {
    for (const [fields, expected] of [
      [{}, /record of cluster a does not contain its cloud provider\. Add --fact provider=A/],
      [{ providerSettings: { providerName: "AWS" } }, /contains the cloud provider AWS\. Add/],
    ] as const) {
      respondWith(fields);
      const { code, stdout, stderr } = await strings("a", ...move);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, expected);
    }
  });
});
