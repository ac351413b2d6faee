/** Tests the READMEs of the packages, which npm shows without the rest of the repository. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as clouddb from "pulumi-clouddb";
import * as connectionStrings from "pulumi-clouddb/connection-strings";
import { z } from "zod";
import { settingKeys } from "../../provider/src/session/settings";
import { startSimulator } from "../../simulator/src";
import { clusterSchema } from "../../simulator/src/seed/cluster";
import { settingsSchema } from "../../simulator/src/seed/settings";
import { parseSeed } from "../../simulator/src/seed/seed";
import { scratchFolder, useCleanup } from "../cleanup";
import { unpack, unpackProvider } from "./packed";

const root = join(__dirname, "..", "..");
const files = "https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/";

const packages = ["provider", "connection-strings", "simulator", "plugin"] as const;

const schema = z
  .object({
    resources: z.record(
      z.string(),
      z.object({ inputProperties: z.looseObject({}), properties: z.looseObject({}) }),
    ),
    functions: z.record(
      z.string(),
      z.object({ inputs: z.object({ properties: z.looseObject({}) }) }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(root, "plugin", "schema.json"), "utf8")));

const propertyNames = Object.values(schema.resources).flatMap(({ inputProperties, properties }) =>
  Object.keys({ ...inputProperties, ...properties }),
);

/** What the README of each package must name in code. */
const documented: Readonly<Record<(typeof packages)[number], readonly string[]>> = {
  provider: [...settingKeys, ...propertyNames, ...Object.keys(clouddb)],
  "connection-strings": [
    ...Object.keys(connectionStrings),
    ...Object.values(connectionStrings.connectionStringErrorCodes),
  ],
  simulator: [...Object.keys(settingsSchema.shape), ...Object.keys(clusterSchema.shape)],
  plugin: [
    ...settingKeys,
    ...propertyNames,
    ...Object.keys(schema.functions).map((token) => token.replace(/.*:/, "")),
    ...Object.values(schema.functions).flatMap(({ inputs }) => Object.keys(inputs.properties)),
  ],
};

const readme = (folder: string) => readFileSync(join(root, folder, "README.md"), "utf8");

/** Returns the code blocks of a language. */
function blocks(text: string, language: string): string[] {
  const found = text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"));
  return [...found].map(([, code = ""]) => code);
}

describe("the README of", function () {
  this.timeout(300_000);

  for (const folder of packages) {
    it(`${folder} names every setting, argument, output and export, or links to the reference`, () => {
      // The READMEs of provider and plugin link to these pages.
      const pages = ["reference/settings", "reference/resources", "guides/languages"];
      const reference = pages.map((page) => readFileSync(join(root, "docs", `${page}.md`), "utf8"));
      const text = [readme(folder), ...reference].join("\n");
      const code = [...text.matchAll(/`+[^`]+`+/g)].join("\n");
      const missing = documented[folder].filter((name) => !new RegExp(`\\b${name}\\b`).test(code));
      assert.deepEqual(missing, []);
    });

    it(`${folder} links only to absolute URLs, and to existing files`, () => {
      const links = [...readme(folder).matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
      assert.ok(links.length > 2);
      for (const link of links) {
        assert.match(link, /^(https:\/\/|#)/);
        if (!link.startsWith(files)) continue;
        assert.ok(
          existsSync(join(root, link.slice(files.length).replace(/#.*/, ""))),
          `${link} does not exist`,
        );
      }
    });
  }

  it("simulator shows a valid seed, and a DNS query for a host name in it", async () => {
    const [seed, ...others] = blocks(readme("simulator"), "json");
    assert.deepEqual(others, []);
    const service = await startSimulator({ seed: parseSeed(JSON.parse(String(seed))) });
    const [, host = ""] = /SRV _db\._tcp\.(\S+)/.exec(readme("simulator")) ?? [];
    assert.equal(service.resolve(host)?.clusterName, "orders");
    await service.stop();
  });
});

describe("the examples in the READMEs of the packages", function () {
  this.timeout(300_000);
  const cleanup = useCleanup("file");

  it("compile", () => {
    const folder = scratchFolder(cleanup);
    unpackProvider(folder);
    unpack("simulator", join(folder, "node_modules", "clouddb-simulator"));
    const examples = packages.flatMap((name) =>
      blocks(readme(name), "ts").map((code, at) => [`${name}-${at}.ts`, code] as const),
    );
    assert.ok(examples.length > 5);
    for (const [name, code] of examples) writeFileSync(join(folder, name), code);
    const compile = join(__dirname, "typescript", "compile.mjs");
    const args = [compile, join(root, "node_modules", "typescript"), folder, "bundler"];
    assert.equal(execFileSync(process.execPath, args, { encoding: "utf8" }), "");
  });
});
