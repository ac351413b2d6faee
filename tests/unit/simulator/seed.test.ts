import assert from "node:assert/strict";
import { expectTypeOf } from "expect-type";
import type { z } from "zod";
import type * as simulator from "../../../simulator/src";
import { type Seed, SeedError, startSimulator } from "../../../simulator/src";
import { type Fixtures, fixtures } from "clouddb-simulator/fixtures";
import type { seedSchema } from "../../../simulator/src/seed/seed";
import type { settingsSchema } from "../../../simulator/src/seed/settings";
import type { faultSchema } from "../../../simulator/src/server/faults";
import { useOwnServices } from "../../support/service";
import { type ClusterBody, call, clustersPath, json, modePath, patch, projectId } from "./client";
import { otherProjectId, seedOf } from "./seeds";

/** Starts the simulator with an invalid seed, and returns the error message. */
async function startError(seed: unknown): Promise<string> {
  try {
    const simulator = await startSimulator({ seed: seed as Seed });
    await simulator.stop();
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.ok(error instanceof SeedError || error.name === "ServiceError", String(error));
    return error.message;
  }
  throw new Error("the seed was accepted");
}

describe("a seed", () => {
  it("is rejected with the path of each problem if invalid", async () => {
    const organizationWith = (apiKey: object) => ({
      organizations: [{ name: "a", apiKeys: [{ publicKey: "k", privateKey: "s", ...apiKey }] }],
    });
    const first = "organizations[0].apiKeys[0]";
    const wrong: [unknown, string][] = [
      [seedOf([{ name: "a", createdAt: "2024-02-30" }]), "→ at projects[0].clusters[0].createdAt"],
      [{ organisations: [] }, "organisations"],
      [organizationWith({ accessList: ["10.0.0.0/33"] }), `→ at ${first}.accessList[0]`],
      [organizationWith({ publicKey: "a:b" }), `→ at ${first}.publicKey`],
      [
        organizationWith({ roles: [{ projectId, role: "owner" }] }),
        `there is no project ${projectId} in the seed\n  → at ${first}.roles[0].projectId`,
      ],
      [
        { organizations: [projectId, projectId].map((id, at) => ({ id, name: `a${at}` })) },
        `"${projectId}" exists twice\n  → at organizations[1].id`,
      ],
      [seedOf([], { label: "azure" }), "is the label of a cloud provider"],
    ];
    for (const [seed, expected] of wrong) {
      const message = await startError(seed);
      assert.ok(message.includes(expected), `${message}\ndoes not include ${expected}`);
    }
  });

  it("is rejected with every cluster that breaks a rule of the service", async () => {
    const privateEndpoints = [{ endpointId: "psc-1", region: "us-east1" }];
    const message = await startError(
      seedOf([{ name: "a-pri" }, { name: "ok" }, { name: "b", provider: "C", privateEndpoints }]),
    );
    assert.match(
      message,
      /^The seed is not valid:\n.*"a-pri".*\n.*at projects\[0\]\.clusters\[0\]\n/,
    );
    assert.match(message, /\n.* Private endpoints .*\n.*at projects\[0\]\.clusters\[2\]$/);
  });

  it("is rejected with the path of each duplicate and missing organization", async () => {
    const id = "64a0c0ffee0000000000a00f";
    const project = { id: projectId, name: "orders", organization: "acme", label: "same" };
    const projects: Seed["projects"] = [
      project,
      project,
      { ...project, id },
      { ...project, id, name: "other" },
      { id, name: "last", organization: "acme", clusters: [{ name: "a" }, { name: "a" }] },
      { ...project, id: otherProjectId, organization: "nowhere" },
    ];
    const message = await startError({ organizations: [{ name: "acme" }], projects });
    assert.deepEqual(message.split("\n").slice(1), [
      `✖ Project ${projectId} already exists.`,
      "  → at projects[1]",
      '✖ A project named "orders" already exists in the organization.',
      "  → at projects[2]",
      '✖ The label "same" is already in use by another project.',
      "  → at projects[3]",
      '✖ There is no organization "nowhere".',
      "  → at projects[5]",
      '✖ A cluster named "a" already exists in this project.',
      "  → at projects[4].clusters[1]",
    ]);
  });

  it("is rejected without its secrets in the error", async () => {
    const seed = {
      organizations: [{ name: "a", apiKeys: [{ publicKey: "k", privateKey: "s".repeat(300) }] }],
    };
    assert.ok(!(await startError(seed)).includes("sss"));
  });
});

describe("an invalid setting", () => {
  it("is rejected with an error that names it", async () => {
    for (const [setting, value] of [
      ["port", 70000],
      ["apiPath", "api/"],
      ["host", "example.org"],
      ["nonsense", true],
      ["profile", "v3"],
      ["countField", "a b"],
    ] as const) {
      await assert.rejects(
        startSimulator({ seed: {}, [setting]: value }),
        (error) => error instanceof SeedError && error.message.includes(setting),
      );
    }
  });
});

describe("the exported types of the simulator", () => {
  it("describe exactly what the schemas accept", () => {
    expectTypeOf<z.input<typeof seedSchema>>().toEqualTypeOf<simulator.Seed>();
    expectTypeOf<z.input<typeof settingsSchema>>().toEqualTypeOf<simulator.SimulatorSettings>();
    expectTypeOf<z.input<typeof faultSchema>>().toEqualTypeOf<simulator.Fault>();
  });
});

describe("the fixtures", () => {
  const start = useOwnServices();
  const strings = async (name: keyof Fixtures, cluster: string) => {
    const service = await start(fixtures[name]);
    return json<ClusterBody>(await call(service, `${clustersPath}/${cluster}`)).connectionStrings;
  };
  const disable = async (name: keyof Fixtures) =>
    (await patch(await start(fixtures[name]), modePath, { enabled: false })).status;

  it("allow disabling in peered, and refuse it in mixedVersions", async () => {
    assert.equal(await disable("peered"), 200);
    assert.equal(await disable("mixedVersions"), 400);
  });

  it("contain the strings they are named after", async () => {
    assert.ok((await strings("peered", "orders")).privateSrv);
    assert.ok((await strings("legacy", "billing")).legacySrv);
    assert.equal((await strings("privateEndpoints", "analytics")).privateEndpoint?.length, 2);
  });
});
