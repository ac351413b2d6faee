import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "clouddb-simulator";
import { key, settingsFor } from "../support/service";
import { stateFile } from "./stack";
import { useStack } from "./useStack";

const example = join(__dirname, "..", "..", "examples", "two-organizations");
const seed = JSON.parse(readFileSync(join(example, "seed.json"), "utf8")) as Seed;
const ordersProject = "64a0c0ffee0000000000a001";
const reportsProject = "64a0c0ffee0000000000b001";
const partner = { id: "svc_partner", secret: "partner-secret" };

describe("a provider for a second organization", () => {
  const { service, createExample } = useStack({ seed });

  it("deploys the example in both organizations, with its secrets encrypted in the state", async () => {
    const { CLOUDDB_BASE_URL, CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...environment } =
      settingsFor(service);
    const { stack } = await createExample("two-organizations", { environment });
    await stack.setAllConfig({
      "clouddb:baseUrl": { value: service.url },
      "clouddb:publicKey": { value: key.publicKey },
      "clouddb:privateKey": { value: key.privateKey, secret: true },
      partnerClientId: { value: partner.id },
      partnerClientSecret: { value: partner.secret, secret: true },
    });
    const { outputs, stdout, stderr } = await stack.up();
    assert.match(String(outputs["ordersUrl"]?.value), /^db\+srv:\/\/orders\./);
    assert.match(String(outputs["reportsUrl"]?.value), /^db\+srv:\/\/reports\./);
    assert.deepEqual(outputs["reportsReady"], { value: true, secret: false });
    for (const projectId of [ordersProject, reportsProject]) {
      assert.equal(service.project(projectId).privateIpMode.enabled, false);
    }
    for (const text of [stdout, stderr, stateFile(stack)]) {
      for (const secret of [partner.secret, key.privateKey]) assert.ok(!text.includes(secret));
    }
  });
});
