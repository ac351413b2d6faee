import assert from "node:assert/strict";
import { join } from "node:path";
import { z } from "zod";
import { useCleanup } from "../../support/cleanup";
import { startCommand } from "../../support/command";
import {
  accountSettings,
  projectId,
  seedWithAccount,
  settingsFor,
  useService,
} from "../../support/service";
import { useProvider } from "../useProvider";

const tokenSchema = z.object({ accessToken: z.string(), expiresAt: z.string() });

describe("a provider process with a service account", () => {
  const { service, start } = useProvider("clusterConnectionStrings", { seed: seedWithAccount() });

  it("revokes its token when a signal ends it", async () => {
    const provider = await start({ environment: accountSettings(service) });
    await provider.check({ projectId, clusterName: "orders" });
    assert.equal(service.activeTokens(), 1);
    await provider.stop();
    assert.equal(service.activeTokens(), 0);
  });
});

describe("pulumi-clouddb token", () => {
  const cleanup = useCleanup("test");
  const service = useService(seedWithAccount(), { tokensPerAccount: 2 });
  const cli = join(__dirname, "..", "..", "..", "provider", "dist", "cli.js");

  const run = (args: string[], settings: Record<string, string> = accountSettings(service)) =>
    startCommand(cleanup, process.execPath, [cli, ...args], {
      env: { PATH: process.env["PATH"], ...settings },
    }).result;
  const doctor = (CLOUDDB_ACCESS_TOKEN: string) => {
    const { CLOUDDB_CLIENT_ID, CLOUDDB_CLIENT_SECRET, ...rest } = accountSettings(service);
    return run(["doctor", "--project", projectId], { ...rest, CLOUDDB_ACCESS_TOKEN });
  };

  it("prints only a token, which other commands accept and --revoke revokes", async () => {
    const printed = await run(["token"]);
    assert.deepEqual([printed.code, printed.stderr], [0, ""]);
    assert.match(printed.stdout, /^[\w-]{43}\n$/);
    const CLOUDDB_ACCESS_TOKEN = printed.stdout.trim();
    assert.equal((await doctor(CLOUDDB_ACCESS_TOKEN)).code, 0);
    assert.equal(service.activeTokens(), 1);
    const settings = { ...accountSettings(service), CLOUDDB_ACCESS_TOKEN };
    const revoked = await run(["token", "--revoke"], settings);
    assert.deepEqual([revoked.code, revoked.stdout, revoked.stderr], [0, "", ""]);
    assert.equal(service.activeTokens(), 0);
    const { accessToken, expiresAt } = tokenSchema.parse(
      JSON.parse((await run(["token", "--json"])).stdout),
    );
    assert.match(accessToken, /^[\w-]{43}$/);
    assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 3600_000) < 60_000);
    const { code, stdout } = await doctor(CLOUDDB_ACCESS_TOKEN);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /The token in CLOUDDB_ACCESS_TOKEN may have expired or been revoked. Set it to/,
    );
    assert.ok(!stdout.includes(CLOUDDB_ACCESS_TOKEN));
  });

  it("neither blames the credentials nor prints the token if the service fails to revoke it", async () => {
    const settings = { ...accountSettings(service), CLOUDDB_ACCESS_TOKEN: "given-t0ken" };
    const body = { detail: "cannot revoke given-t0ken" };
    service.faults.push({ path: /revoke$/, status: 501, body, times: Infinity });
    const { code, stderr } = await run(["token", "--revoke"], settings);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^Could not request or revoke a token: the service responded with 501: "\[redacted: /m,
    );
    assert.doesNotMatch(stderr, /t0ken|clientId|client secret/i);
  });

  it("sends a refused request once", async () => {
    const before = service.requests.length;
    const settings = { ...accountSettings(service), CLOUDDB_CLIENT_SECRET: "wrong" };
    const { code, stderr } = await run(["token"], settings);
    assert.equal(code, 1);
    assert.match(stderr, /401 .*Check CLOUDDB_CLIENT_ID, CLOUDDB_CLIENT_SECRET and/);
    assert.equal(service.requests.length, before + 1);
  });

  it("exits 2 with --json and --revoke, and 1 without a service account, without a token to revoke, and at the limit of tokens", async () => {
    assert.equal((await run(["token", "--json", "--revoke"])).code, 2);
    const failed = async (args: string[], settings?: Record<string, string>) => {
      const { code, stdout, stderr } = await run(args, settings);
      assert.deepEqual([code, stdout], [1, ""]);
      return stderr;
    };
    assert.match(
      await failed(["token"], settingsFor(service)),
      /only service accounts have tokens/,
    );
    assert.match(await failed(["token", "--revoke"]), /CLOUDDB_ACCESS_TOKEN is not set/);
    await run(["token"]);
    await run(["token"]);
    assert.match(
      await failed(["token"]),
      /403 .*: "Access Token limit reached: .* too many active tokens.* Share one token/,
    );
  });
});
