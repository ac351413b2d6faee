import assert from "node:assert/strict";
import { allOrSample } from "../sample";
import { projectId } from "../service";
import { killedUpdate } from "./killedUpdate";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

/** The requests of a first update, in order. */
const requests = [
  "challenged request",
  "GET of the mode in check",
  "list of clusters in check",
  "GET of the mode in create",
  "list of clusters in create",
  "PATCH of the mode",
];

describe("a kill of the provider process during an update", () => {
  const { service, createStack } = useStack();
  let tested: TestStack;

  beforeEach(async () => {
    tested = await createStack(program({ enabled: false }));
  });

  const program = (args: object) =>
    `new clouddb.PrivateIpMode("mode", ${JSON.stringify({ projectId, ...args })});`;

  // Starts at point 3: at points 1 and 2, the provider knows just as little about the project.
  const all = Array.from({ length: 2 * requests.length - 2 }, (_, index) => index + 3);
  for (const point of allOrSample(all, [6, 11, 12])) {
    const request = String(requests[Math.ceil(point / 2) - 1]);
    const when = point % 2 === 1 ? `before the ${request}` : `after the response to the ${request}`;
    it(`leaves the old or the new mode if it happens ${when}, and the next update succeeds`, async () => {
      await killedUpdate(tested, point);
      const changed = point === 2 * requests.length;
      assert.equal(service.project().privateIpMode.enabled, !changed);
      assert.equal(service.patches().length, changed ? 1 : 0);

      const { summary } = await tested.stack.up();
      assert.equal(summary.result, "succeeded");
      assert.equal(service.project().privateIpMode.enabled, false);
      assert.equal(service.patches().length, 1);
    });
  }

  it("does not change the recorded value at adoption", async () => {
    const restored = { onDelete: "restore" };
    tested.program(program({ enabled: true, ...restored }));
    await tested.stack.up();
    tested.program(program({ enabled: false, ...restored }));
    await killedUpdate(tested, 2 * requests.length);
    assert.equal(service.project().privateIpMode.enabled, false);

    await tested.stack.up();
    await tested.stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, true);
  });
});
