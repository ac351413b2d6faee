import assert from "node:assert/strict";
import { projectId } from "../../support/service";
import { useProvider } from "../useProvider";

describe("a provider process with many lookups", () => {
  const { service, provider, start } = useProvider("clusterConnectionStrings");

  it("makes no request in create, diff and update after check found the strings", async () => {
    const { inputs } = await provider.check({ projectId, clusterName: "orders" });
    const before = service.requests.length;
    // Without the list that check read.
    const another = await start();
    const { id, outs } = await another.create(inputs);
    assert.equal(id, `${projectId}/orders`);
    assert.deepEqual(outs, inputs);
    assert.equal((await another.diff(id, outs, inputs)).changes, false);
    assert.deepEqual(await another.update(id, outs, inputs), inputs);
    assert.equal(service.requests.length, before);
  });

  it("reads the list again once for many missing clusters", async () => {
    await provider.check({ projectId, clusterName: "orders" });
    const lookups = Array.from({ length: 20 }, (_, i) =>
      provider.check({ projectId, clusterName: `nowhere-${i}` }),
    );
    for (const { failures } of await Promise.all(lookups)) assert.equal(failures.length, 1);
    assert.equal(service.listings().length, 3, "the second list ends with an empty page");
  });
});
