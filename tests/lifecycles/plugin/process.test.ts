import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { useCleanup } from "../../cleanup";
import { packedPlugin } from "../packedPlugin";
import { waitUntil } from "../../waitUntil";
import { usePlugin } from "./usePlugin";

const executable = () => join(packedPlugin(), "pulumi-resource-clouddb");

describe("the executable of the plugin", () => {
  const cleanup = useCleanup("test");
  const { start } = usePlugin();
  const { version } = JSON.parse(
    readFileSync(join(__dirname, "..", "..", "..", "plugin", "package.json"), "utf8"),
  ) as { version: string };

  it("explains what is missing if node is not on PATH", () => {
    const { status, stderr } = spawnSync("/bin/sh", [executable()], {
      env: { PATH: "/nonexistent" },
      encoding: "utf8",
    });
    assert.equal(status, 127);
    assert.match(stderr, /needs Node\.js 20\.19 or later, but there is no node on PATH\. Install/);
  });

  it("prints its version and its help", () => {
    assert.equal(execFileSync(executable(), ["--version"], { encoding: "utf8" }), `${version}\n`);
    const help = execFileSync(executable(), ["--help"], { encoding: "utf8" });
    assert.match(help, /The Pulumi engine starts this program/);
  });

  it("reports its version and its schema to the engine", async () => {
    const plugin = await start();
    assert.equal(await plugin.version(), version);
    const schema: unknown = JSON.parse(await plugin.schema());
    assert.ok(typeof schema === "object" && schema !== null && "version" in schema);
    assert.equal(schema.version, version);
  });

  it("ends after its engine was killed", async () => {
    // The shell is the parent, like an engine, and prints the process ID of the plugin.
    const script = `"${executable()}" 127.0.0.1:1 & echo "pid $!"; sleep 60`;
    const parent = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    cleanup(() => parent.kill("SIGKILL"));
    parent.stdout.setEncoding("utf8");
    let output = "";
    parent.stdout.on("data", (text: string) => (output += text));
    await waitUntil(
      "two lines",
      () => output.split("\n").length >= 3,
      () => output,
    );
    const pid = Number(/^pid (\d+)$/m.exec(output)?.[1]);
    assert.ok(isRunning(pid), "the plugin runs while its parent does");
    parent.kill("SIGKILL");
    await waitUntil("the plugin ends", () => !isRunning(pid));
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
