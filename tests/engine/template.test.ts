import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { isSecretKey, isSettingKey } from "../../provider/src/settings/settings";
import { scratchFolder, temporaryFolder, useCleanup } from "../support/cleanup";
import { account, projectId, seedWithAccount, settingsFor, useService } from "../support/service";
import { pulumiIn } from "./terminal";

const root = join(__dirname, "..", "..");
const template = join(root, "examples", "template");

const prompts = z.object({
  template: z.object({
    config: z.record(
      z.string(),
      z.object({ description: z.string(), secret: z.boolean().optional() }),
    ),
  }),
});
const { config } = prompts.parse(
  parse(readFileSync(join(template, "Pulumi.yaml"), "utf8")),
).template;

/** Replaces npm, because the packages are in this repository's node_modules. */
const npm = "#!/bin/sh\nmkdir -p node_modules\n";

describe("the template clouddb-typescript", () => {
  const cleanup = useCleanup("test");
  const service = useService(seedWithAccount(account, "readOnly"));

  /** Creates an empty folder, and returns a function that runs pulumi in it. */
  function emptyFolder() {
    const folder = scratchFolder(cleanup);
    const bin = temporaryFolder(cleanup);
    writeFileSync(join(bin, "npm"), npm, { mode: 0o755 });
    const pulumi = pulumiIn(cleanup, folder, {
      PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
      CLOUDDB_CA_FILE: settingsFor(service)["CLOUDDB_CA_FILE"],
    });
    return { folder, pulumi };
  }

  it("creates a project in an empty folder, whose preview shows a connection string", async () => {
    const { folder, pulumi } = emptyFolder();
    const answers = {
      "clouddb:baseUrl": service.url,
      "clouddb:clientId": account.clientId,
      projectId,
      clusterName: "orders",
    };
    const settings = Object.entries(answers).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
    await pulumi(["new", template, "--yes", "--name", "infra", "--stack", "dev", ...settings]);
    const secret = ["config", "set", "--secret", "clouddb:clientSecret"];
    await pulumi(secret, { input: account.clientSecret });
    for (const file of [".gitignore", "tsconfig.pulumi.json"]) {
      assert.ok(existsSync(join(folder, file)), file);
    }
    assert.match(readFileSync(join(folder, "package.json"), "utf8"), /"name": "infra"/);
    const stackFile = readFileSync(join(folder, "Pulumi.dev.yaml"), "utf8");
    assert.match(stackFile, /^ {2}clouddb:profile: default$/m);
    assert.doesNotMatch(stackFile, new RegExp(account.clientSecret));

    const { stdout } = await pulumi(["preview", "--diff", "--non-interactive"]);
    assert.match(stdout, /databaseUrl *: "db\+srv:\/\/orders\.[^"]+"/);
    assert.match(stdout, /databaseVersion *: "7\.0\.12"/);
    assert.doesNotMatch(stdout, /warning|\[unknown\]/);
    assert.equal(service.project().privateIpMode.enabled, true, "a preview changes nothing");
  });

  it("ignores the files in which the guide on application configuration keeps secrets", () => {
    const folder = temporaryFolder(cleanup);
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" });
    git("init", "--quiet");
    copyFileSync(join(template, ".gitignore"), join(folder, ".gitignore"));
    const guide = readFileSync(join(root, "docs/guides/app-config.md"), "utf8");
    const files = [...new Set(guide.match(/(?<=[ `=])[\w.]*\.env(\.new)?(?=[ `;\n])/g))].sort();
    assert.deepEqual(files, [".env", "database.env", "database.env.new"]);
    assert.deepEqual(
      git("check-ignore", ...files)
        .trim()
        .split("\n"),
      files,
    );
  });

  it("asks for settings that exist, and hides the secret ones", () => {
    const keys = Object.keys(config).filter((key) => key.startsWith("clouddb:"));
    assert.deepEqual(keys, [
      "clouddb:profile",
      "clouddb:baseUrl",
      "clouddb:clientId",
      "clouddb:clientSecret",
    ]);
    for (const key of keys) {
      const name = key.replace("clouddb:", "");
      assert.ok(isSettingKey(name), key);
      assert.equal(config[key]?.secret ?? false, isSecretKey(name), key);
    }
  });
});
