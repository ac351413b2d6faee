import assert from "node:assert/strict";
import fc from "fast-check";
import semver from "semver";
import {
  type VersionedCluster,
  disableRefusal,
  guardDisable,
  disableWarning,
  blockingClusters as blockingClustersIn,
} from "../../../provider/src/privateIpMode/guard";
import { SharedListing } from "../../../provider/src/service/clusterLists";
import { gapOf, listOf } from "../service/testClient";

const cluster = (version: string | undefined, majorVersion?: string) => ({
  name: "c",
  version,
  majorVersion,
});

const blockingClusters = (records: readonly VersionedCluster[]) => blockingClustersIn({ records });
const complete = { gap: undefined };
const refusal = (projectId: string, records: readonly VersionedCluster[]) =>
  disableRefusal(projectId, { ...complete, records }) ?? "";

describe("the version check", () => {
  for (const version of ["7.0.0", "7.0.12", "8.1.0-rc0", "10.0.0"]) {
    it(`allows ${version}`, () => {
      assert.deepEqual(blockingClusters([cluster(version)]), []);
    });
  }

  for (const version of ["6.0.5", "5.0.1", "7.0.0-rc1", "6.10.0"]) {
    it(`refuses ${version}`, () => {
      assert.deepEqual(blockingClusters([cluster(version)]), [
        { name: "c", version, reason: "tooLow", state: undefined },
      ]);
    });
  }

  for (const version of [undefined, "7.0", "7.0.x", "v7.0.1", "=7.0.1", " 7.0.1", "7.0.1\ufeff"]) {
    it(`refuses a cluster whose version is ${JSON.stringify(version)}`, () => {
      const [blocking] = blockingClusters([cluster(version, "7.0")]);
      assert.equal(blocking?.reason, version ? "invalid" : "missing");
    });
  }

  it("escapes and truncates an invalid version", () => {
    const [blocking] = blockingClusters([cluster(`x\n${"7".repeat(100)}`)]);
    assert.match(blocking?.version ?? "", /^"x\\n7{38}…" \(not a version\)$/);
  });

  it("uses the lower of two version fields that disagree", () => {
    assert.equal(blockingClusters([cluster("7.0.12", "6.0")]).length, 1);
    assert.equal(blockingClusters([cluster("6.0.5", "7.0")]).length, 1);
    assert.equal(blockingClusters([cluster("7.0.12", "x")])[0]?.reason, "invalid");
    assert.equal(blockingClusters([cluster("7.0.12", "7.0")]).length, 0);
  });

  it("accepts a full version in the field of the major version", () => {
    assert.deepEqual(blockingClusters([cluster("7.0.12", "7.0.12")]), []);
    assert.equal(blockingClusters([cluster("7.0.12", "6.0.5")])[0]?.reason, "pinned");
  });

  it("names the version field that blocks disabling if the two disagree", () => {
    assert.match(
      refusal("p1", [cluster("7.0.12", "6.0")]),
      /c {2}6\.0 \(major version; full version 7\.0\.12\)/,
    );
    assert.match(refusal("p1", [cluster("7.0.12", "x")]), /c {2}"x" \(not a major version\)/);
  });

  it("recommends no upgrade of a cluster of which only the major version is below, as while it is pinned", () => {
    const advice =
      /no upgrade is missing\. It changes when the pinned version is released, or when/;
    const pinned = [cluster("7.0.16", "6.0"), cluster("8.0.4", "6.3")];
    assert.match(refusal("p1", [cluster("7.0.16", "6.0")]), advice);
    assert.match(refusal("p1", pinned), advice);
    // Directly below the table.
    assert.match(refusal("p1", pinned), /full version 8\.0\.4\)\nIf only the major version/);
    const mixed = refusal("p1", [...pinned, cluster("6.0.5", "6.0")]);
    assert.match(
      mixed,
      /\nUpgrade them to 7\.0 or later, or keep the mode [^]*\nIf only the major/,
    );
    assert.doesNotMatch(refusal("p1", [cluster("6.0.5", "7.0")]), /pinned/);
  });

  it("lists 16,000 bytes of clusters, and counts the others", () => {
    const named = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...cluster("6.0.5"), name: `c${at + 100_000}` }));
    assert.doesNotMatch(refusal("p", named(1000)), /more/);
    const longer = refusal("p", named(1002));
    assert.match(longer, /^ {2}and 2 more$/m);
    assert.doesNotMatch(longer, /c101000/);
    const wide = { ...cluster("6.0.5"), name: "漢".repeat(50) };
    const header = encodeURI(refusal("p", Array<typeof wide>(1000).fill(wide)));
    assert.ok(header.length < 64 * 1024, `${header.length} bytes in a header of gRPC`);
  });

  it("allows exactly the projects in which every version parses and is at least 7.0.0", () => {
    const number = fc.nat({ max: 12 });
    const version = fc.oneof(
      fc.tuple(number, number, number).map((parts) => parts.join(".")),
      fc.tuple(number, number, fc.nat(3)).map(([a, b, c]) => `${a}.${b}.0-rc${c}`),
      fc.string({ maxLength: 8 }),
      fc
        .tuple(fc.constantFrom("v", "=", " ", "\ufeff"), fc.constantFrom("7.0.1", "8.0.0-rc0"))
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(fc.array(version, { maxLength: 6 }), (versions) => {
        const allowed = versions.every((text) => {
          const parsed = /^\d/.test(text) && text.trim() === text ? semver.parse(text) : null;
          return parsed !== null && semver.gte(parsed, "7.0.0");
        });
        assert.equal(blockingClusters(versions.map((text) => cluster(text))).length === 0, allowed);
      }),
      { numRuns: 2000 },
    );
  });

  it("never allows a lower major version field, regardless of the full version", () => {
    const parts = fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 }));
    fc.assert(
      fc.property(fc.nat({ max: 20 }), parts, (patch, [major, minor]) => {
        const allowed =
          blockingClusters([cluster(`7.0.${patch}`, `${major}.${minor}`)]).length === 0;
        assert.equal(allowed, major >= 7);
      }),
    );
  });

  it("names every blocking cluster with its version, sorted by name, and says what to do", () => {
    const clusters = [
      { name: "orders", version: "6.0.5", majorVersion: "6.0" },
      { name: "billing", version: "7.0.12", majorVersion: "7.0" },
      { name: "analytics", version: "5.0.1", majorVersion: "5.0" },
    ];
    assert.deepEqual(refusal("p1", clusters).split("\n"), [
      "private IP mode of project p1 cannot be disabled: 2 of its 3 clusters do not run version 7.0 or later:",
      "  analytics  5.0.1",
      "  orders     6.0.5",
      "Upgrade them to 7.0 or later, one major version at a time, or keep the mode with enabled: true. If the program upgrades them, deploy the upgrade first.",
    ]);
  });

  const upgrade =
    "Upgrade it to 7.0 or later, or keep the mode with enabled: true. If the program upgrades it, deploy the upgrade first.";
  const isDeleted = "Wait for a cluster that is being deleted, because it counts until it is gone.";
  for (const [what, state, version, row, ...advice] of [
    ["an idle one", { state: "IDLE" }, "6.0.5", "6.0.5", upgrade],
    [
      "a paused one",
      { state: "IDLE", isPaused: true },
      "6.0.5",
      "6.0.5  paused",
      upgrade,
      "A paused cluster must be resumed before it can be upgraded.",
    ],
    [
      "one that is updating",
      { state: "UPDATING", isPaused: true },
      "6.0.5",
      "6.0.5  updating",
      upgrade,
      "A cluster that is updating is being changed. If that is the upgrade, wait for it.",
    ],
    [
      "a new one without a version",
      { state: "CREATING" },
      undefined,
      "(no version given)  creating",
      "Wait for a cluster that is being created, because it has no version before.",
    ],
    ["a new one with a version", { state: "CREATING" }, "6.0.5", "6.0.5  creating", upgrade],
    ["one that is being deleted", { state: "DELETING" }, "6.0.5", "6.0.5  deleting", isDeleted],
    [
      "one that is being deleted, without a version",
      { state: "DELETING" },
      undefined,
      "(no version given)  deleting",
      isDeleted,
    ],
    ["one in another state", { state: "REPAIRING" }, "6.0.5", "6.0.5  repairing", upgrade],
  ] as const) {
    it(`says the state of a cluster in a word, and what to do about ${what}`, () => {
      assert.deepEqual(
        refusal("p1", [{ ...cluster(version), ...state }])
          .split("\n")
          .slice(1),
        [`  c  ${row}`, ...advice],
      );
    });
  }

  it("aligns the states of several clusters", () => {
    const paused = { name: "paused", version: "6.0.5", majorVersion: undefined, isPaused: true };
    const created = { name: "new", version: undefined, majorVersion: undefined, state: "CREATING" };
    assert.deepEqual(
      refusal("p", [cluster("6.0.5"), created, paused])
        .split("\n")
        .slice(1, 5),
      [
        "  c       6.0.5",
        "  new     (no version given)  creating",
        "  paused  6.0.5               paused",
        "Upgrade them to 7.0 or later, or keep the mode with enabled: true. If the program upgrades them, deploy the upgrade first.",
      ],
    );
  });

  for (const [version, isStepwise] of [
    ["4.4.29", true],
    ["5.3.2", true],
    ["6.0.0", false],
    ["7.0.0-rc1", false],
  ] as const) {
    it(`recommends ${isStepwise ? "several upgrades" : "one upgrade"} of a cluster with ${version}`, () => {
      const steps = isStepwise ? ", one major version at a time" : "";
      assert.match(refusal("p", [cluster(version)]), new RegExp(`7\\.0 or later${steps}, or keep`));
    });
  }

  it("uses the singular for one blocking cluster", () => {
    const orders = { name: "orders", version: "6.0.5", majorVersion: undefined };
    assert.match(
      refusal("p", [orders]),
      /: its only cluster does not run [^]*\nUpgrade it to 7\.0/,
    );
    assert.match(
      refusal("p", [orders, ...["a", "b", "c"].map((name) => ({ ...cluster("7.0.0"), name }))]),
      /: 1 of its 4 clusters does not run [^]*\nUpgrade it to/,
    );
  });

  it("counts a cluster once that changed while the list was read, and lists each of its versions", () => {
    const others = ["a", "b"].map((name) => ({ id: name, ...cluster("7.0.0"), name }));
    const records = ["6.0.5", "6.0.9", "6.0.5"].map((version) => ({
      id: "1",
      ...cluster(version),
    }));
    const refused = refusal("p", [...others, ...records]);
    assert.match(
      refused,
      /: 1 of its 3 clusters does not .*\n {2}c {2}6\.0\.5\n {2}c {2}6\.0\.9\nUpgrade it/,
    );
    assert.match(refusal("p", records), /: its only cluster does not/);
    assert.match(refusal("p", [cluster("6.0.5"), cluster("6.0.5")]), /: 2 of its 2 clusters do/);
  });

  it("says what a version is that is not text", () => {
    const kind = { kind: "a number" };
    for (const [record, version] of [
      [{ ...cluster("7.0.12"), version: kind }, "(the version is a number, not text)"],
      [{ ...cluster("7.0.12"), majorVersion: kind }, "(the major version is a number, not text)"],
    ] as const) {
      const [blocking] = blockingClusters([record]);
      assert.deepEqual([blocking?.version, blocking?.reason], [version, "invalid"]);
      assert.doesNotMatch(refusal("p1", [record]), /fieldPrefix/);
    }
  });

  it("names the setting fieldPrefix if a version is missing", () => {
    assert.match(
      refusal("p1", [cluster(undefined), cluster("6.0.0")]),
      /c {2}\(no version given\)\n[^]*check the setting clouddb:fieldPrefix/,
    );
    assert.doesNotMatch(refusal("p1", [cluster("6.0.0")]), /fieldPrefix/);
  });

  it("refuses if the list is incomplete, even if every listed cluster would be allowed", () => {
    const list = { records: [cluster("7.0.0")], gap: gapOf("1 was read, and 2 exist") };
    assert.match(
      disableRefusal("p1", list) ?? "",
      /^private IP mode of project p1 cannot be disabled: its list of clusters may be incomplete\. 1 was read, and 2 exist\.\nA missing cluster could run a version below 7\.0\.\nTry again\./,
    );
    assert.match(
      disableRefusal("p1", { ...list, records: [cluster("6.0.5")] }) ?? "",
      /Of the clusters read, these do not run version 7\.0 or later:\n {2}c {2}6\.0\.5\nTry again\. .* compare clouddb:pageParameter, .* and clouddb:countField with .*: https:.*\/service-differences\.md/,
    );
  });

  it("judges a cluster without a name by its version, and names its place in the list", () => {
    const nameless = (version: string | undefined, majorVersion?: string) =>
      ({ name: undefined, version, majorVersion }) as const;
    assert.equal(refusal("p1", [nameless("7.0.1"), nameless("8.0.0", "8.0")]), "");
    const all = [nameless("7.0.1"), nameless("6.0.9"), nameless(undefined, "7.0")];
    assert.deepEqual(
      blockingClusters(all).map(({ name, version, reason }) => [name, version, reason]),
      [
        ["cluster 2 of the list", "6.0.9", "tooLow"],
        ["cluster 3 of the list", "(no version given)", "missing"],
      ],
    );
  });

  it("escapes names, versions and states, so that they cannot forge a line of the refusal", () => {
    const forged = {
      name: "a\n  orders  7.0.0",
      version: "6.0.0\n",
      majorVersion: "\u001b[2K",
      state: "a\nb",
    };
    const lines = refusal("p1", [forged]).split("\n");
    assert.equal(lines[1], '  a\\n  orders  7.0.0  "6.0.0\\n" (not a version)  a\\nb');
    assert.equal(lines.length, 3);
  });
});

describe("the warning about disabling", () => {
  const clusterWith = (name: string, connectionStrings?: Record<string, string>) => ({
    name,
    connectionStrings,
  });
  const peered = (name: string) =>
    clusterWith(name, { privateSrv: "db+srv://a-pri.h.example.net" });
  const legacy = (name: string) => clusterWith(name, { legacySrv: "db+srv://a-ab1cd.example.net" });
  const hosts = { private: "db://a-shard-00-00-pri.h.example.net:27017" };
  const legacyHosts = { legacy: "db://a-shard-00-00-ab1cd.example.net:27017" };
  const start = "disabling private IP mode of project p1: make sure that";
  const ofLegacy = `${start} no application depends on the legacy connection strings of`;
  const areResolved = "host names resolve to public addresses when the mode is off";
  const ofPeering =
    "applications in peered networks already use the peering-private connection strings of";
  const others = clusterWith("sessions");

  for (const [warning, ...clusters] of [
    [`${start} ${ofPeering} cluster orders.`, others, peered("orders")],
    [
      `${start} ${ofPeering} clusters billing, orders.`,
      peered("orders"),
      clusterWith("billing", hosts),
    ],
    [
      `${ofLegacy} clusters billing, orders, whose ${areResolved}.`,
      legacy("orders"),
      clusterWith("billing", legacyHosts),
    ],
    [
      `${ofLegacy} cluster billing, whose ${areResolved}, and that ${ofPeering} cluster search.`,
      legacy("billing"),
      peered("search"),
    ],
    [undefined, others],
  ] as const) {
    it(`about ${clusters.map(({ name }) => name).join(", ")} is: ${warning ?? "none"}`, () => {
      assert.equal(disableWarning("p1", clusters), warning);
    });
  }
});

describe("the guard", () => {
  const guard = async (...records: object[]) => {
    const read = () => Promise.resolve(listOf(...records));
    const listing = new SharedListing({ listClusters: read, verifyClusters: read });
    return await guardDisable(listing, "p");
  };
  const current = { id: "1", name: "orders", dbVersion: "8.0.4" };

  it("permits a change of this project", async () => {
    assert.equal((await guard(current)).projectId, "p");
  });

  for (const [what, ...records] of [
    ["an old version", { ...current, dbVersion: "6.0.9" }],
    ["a release candidate of 7.0.0", { ...current, dbVersion: "7.0.0-rc1" }],
    ["an old record without a name", current, { id: "2", dbVersion: "6.0.9" }],
    ["a cluster that is being deleted", { ...current, dbVersion: "6.0.9", stateName: "DELETING" }],
    ["an older record of the same cluster", current, { ...current, dbVersion: "6.0.9" }],
  ] as const) {
    it(`refuses ${what}, as the service returns it`, async () => {
      await assert.rejects(guard(...records), { code: "refused", message: /6\.0\.9|7\.0\.0-rc1/ });
    });
  }
});
