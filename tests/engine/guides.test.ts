/** Previews the Pulumi programs of the Markdown files, which codeBlocks.test.ts compiles as a project of the template. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import ts from "typescript";
import { key, projectId } from "../support/service";
import { examples } from "../unit/docs/examples";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

const partner = { clientId: "svc_partner", clientSecret: "partner-secret" };

describe("the programs in the guides", () => {
  const { createInline } = useStack({
    lifetime: "file",
    seed: {
      organizations: [
        { name: "acme", apiKeys: [{ ...key, roles: [{ role: "owner" }] }] },
        { name: "partner", serviceAccounts: [{ ...partner, roles: [{ role: "owner" }] }] },
      ],
      projects: [
        {
          id: projectId,
          name: "orders",
          organization: "acme",
          clusters: [
            {
              name: "orders",
              peering: true,
              privateEndpoints: [{ endpointId: "vpce-0a1", region: "us-east-1" }],
            },
            { name: "billing", peering: true },
          ],
        },
        { id: "64a0c0ffee0000000000b001", name: "reports", organization: "partner", clusters: [] },
      ],
    },
  });
  let tested: TestStack<PulumiFn>;

  before(async () => {
    tested = await createInline(() => Promise.resolve());
    await tested.stack.setAllConfig({
      projectId: { value: projectId },
      clusterName: { value: "orders" },
      databaseUser: { value: "app" },
      databasePassword: { value: "p@ss", secret: true },
      "mongodbatlas:publicKey": { value: key.publicKey },
      "mongodbatlas:privateKey": { value: key.privateKey, secret: true },
      "partner:clientId": { value: partner.clientId },
      "partner:clientSecret": { value: partner.clientSecret, secret: true },
    });
  });

  for (const { page, line, kind, file } of examples()) {
    if (kind !== "program") continue;
    it(`are previewed: ${page}:${line}`, async () => {
      const compiled = join(tested.folder, `${page.replaceAll("/", "-")}-${line}.cjs`);
      const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
      writeFileSync(compiled, ts.transpileModule(file, { compilerOptions }).outputText);
      tested.program(() => Promise.resolve(require(compiled) as Record<string, unknown>));
      const { stdout, changeSummary } = await tested.stack.preview();
      assert.ok((changeSummary.create ?? 0) > 1 || /^Outputs:/m.test(stdout), stdout);
      // The URL of a new DatabaseUrl is unknown until the update.
      const count = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].length;
      const urls = count(/new clouddb\.DatabaseUrl\(/g, file);
      assert.ok(count(/\[unknown\]/g, stdout) <= urls, stdout);
    });
  }
});
