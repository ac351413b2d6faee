import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { leaksIn, plantedSeed, publicKey, secrets } from "../../support/plantedSecrets";
import { projectId, settingsFor } from "../../support/service";
import { waitUntil } from "../../support/waitUntil";
import { useProvider } from "../useProvider";

/** The part of a diagnostic report of Node.js that SECURITY.md describes. */
const diagnosticReport = z.looseObject({ environmentVariables: z.record(z.string(), z.string()) });

describe("an uncaught exception in a provider process", () => {
  const cleanup = useCleanup("test");
  const { service, start } = useProvider("privateIpMode", { seed: plantedSeed() });

  it("prints no secret, and a diagnostic report contains them only as variables of the environment", async () => {
    const folder = temporaryFolder(cleanup);
    const preload = join(__dirname, "crashOnHangup.cjs");
    const { check, output, pid } = await start({
      environment: {
        ...settingsFor(service),
        CLOUDDB_PUBLIC_KEY: publicKey,
        CLOUDDB_PRIVATE_KEY: secrets.privateKey,
        NODE_OPTIONS: `--require=${preload} --report-on-signal --report-directory=${folder}`,
      },
    });
    assert.ok(pid !== undefined);
    assert.deepEqual((await check({ projectId, enabled: false })).failures, []);

    process.kill(pid, "SIGUSR2");
    await waitUntil("a report", () => output().includes("Node.js report completed"), output);
    const [name = ""] = readdirSync(folder);
    const report: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
    const { environmentVariables, ...rest } = diagnosticReport.parse(report);
    assert.equal(environmentVariables["CLOUDDB_PRIVATE_KEY"], secrets.privateKey);
    assert.deepEqual(leaksIn(JSON.stringify(rest)), []);

    process.kill(pid, "SIGHUP");
    await waitUntil("a crash", () => output().includes("the crash of a test"), output);
    assert.match(output(), /\n\s+at .*crashOnHangup\.cjs/);
    assert.deepEqual(leaksIn(output()), []);
  });
});
