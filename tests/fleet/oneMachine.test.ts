import assert from "node:assert/strict";
import { waitWhileRunning } from "../command";
import { summaryOf } from "./machine";
import { projectId } from "./seed";
import { useFleet } from "./useFleet";

const clusters = ["main"];

describe("a fleet on one machine", () => {
  const { service, createMachine, fileBackend } = useFleet();

  it("resumes after an interrupt without repeating finished stacks, and reports drift", async () => {
    const stacks = [1, 2, 3].map((index) => ({
      name: `stack-${index}`,
      projectId: projectId(index),
      privateIpMode: false,
      clusters,
    }));
    const machine = createMachine({ stacks }, fileBackend());
    const interrupted = machine.fleet("up", "--concurrency", "1", "--json");
    await waitWhileRunning(interrupted, () =>
      service.patches().some(({ path }) => path.includes(projectId(2))),
    );
    interrupted.kill("SIGTERM");
    const first = await summaryOf(interrupted);
    assert.equal(first.code, 130);
    assert.equal(first.failed, 0);
    assert.ok(first.succeeded < 3, "is interrupted before the last stack");

    const second = await summaryOf(machine.fleet("up", "--json"));
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stderr, /^Resuming: \d of 3 stacks already done\./);
    assert.equal(second.succeeded, 3);
    assert.equal(service.patches().length, 3);

    service.project(projectId(3)).setPrivateIpMode(true);
    const drift = await summaryOf(machine.fleet("drift", "--json"));
    assert.equal(drift.code, 1);
    const drifted = drift.results.filter(({ status }) => status === "drifted");
    assert.deepEqual(
      drifted.map(({ stack }) => stack),
      ["stack-3"],
    );
    assert.equal(drift.succeeded, 2);
  });

  it("stops after the running stacks if its output is closed", async () => {
    const stacks = [1, 2, 3].map((index) => {
      return {
        name: `stack-${index}`,
        projectId: projectId(index),
        privateIpMode: false,
        clusters,
      };
    });
    const machine = createMachine({ stacks }, fileBackend());
    const started = machine.fleet("up", "--concurrency", "2");
    await waitWhileRunning(started, () => service.patches().length > 0);
    assert.equal(await started.closeOutput(), 130);
    const resumed = await summaryOf(machine.fleet("up", "--json"));
    assert.equal(resumed.succeeded, 3);
  });

  it("reports a failed stack with its reason, and finishes the others", async () => {
    const stacks = [
      { name: "broken", projectId: projectId(1), clusters: ["mian"] },
      { name: "good", projectId: projectId(2), clusters },
    ];
    const { fleet } = createMachine({ stacks }, fileBackend());
    const { code, stdout, stderr } = await fleet("up").result;
    assert.equal(code, 1, stderr);
    assert.match(stdout, /^broken +failed +.*main/m);
    assert.match(stdout, /^1\/2 up, 1 failed \(\d+ s\)$/m);
    assert.match(stderr, /^\d\/2 up.* good succeeded in [\d.]+ s: 2 create$/m);
  });

  it("rejects a list with mistakes before it starts", async () => {
    const stacks = [
      { name: "first", projectId: projectId(1), privateIpMode: false },
      { name: "first", projectId: "orders", privateIpMode: true },
      { name: "third", projectId: projectId(1), privateIpMode: true },
    ];
    const { fleet } = createMachine({ stacks }, fileBackend());
    const { code, stderr } = await fleet("up").result;
    assert.equal(code, 2);
    assert.match(stderr, /is not a project ID\n.*stacks\[1\]\.projectId/);
    assert.doesNotMatch(stderr, /^ +at /m);
    assert.equal(service.requests.length, 0);
  });
});
