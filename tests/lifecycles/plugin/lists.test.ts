import assert from "node:assert/strict";
import { projectId } from "../../support/service";
import { usePlugin } from "./usePlugin";

describe("a list of the plugin", () => {
  const { service, start } = usePlugin();

  it("contains the import IDs of a project's clusters", async () => {
    const plugin = await start();
    const clusters = await plugin.list("ClusterConnectionStrings", { projectId });
    assert.deepEqual(
      clusters,
      ["analytics", "billing", "orders", "sessions"].map((name) => ({
        id: `${projectId}/${name}`,
        name,
      })),
    );
    const limited = await plugin.list("ClusterConnectionStrings", { projectId }, 1);
    assert.deepEqual(limited, clusters.slice(0, 1));
  });

  it("contains all projects, or those whose private IP mode is on", async () => {
    const plugin = await start();
    const project = { id: projectId, name: projectId };
    assert.deepEqual(await plugin.list("PrivateIpMode", {}), [project]);
    assert.deepEqual(await plugin.list("PrivateIpMode", { enabled: true }), [project]);
    service.project().setPrivateIpMode(false);
    assert.deepEqual(await plugin.list("PrivateIpMode", { enabled: true }), []);
  });

  it("fails if it selects by mode, but the service does not return the mode", async () => {
    service.faults.push({ path: /privateIpMode$/, withCredentials: true, status: 404 });
    await assert.rejects(
      (await start()).list("PrivateIpMode", { enabled: true }),
      /does not return the private IP mode of project/,
    );
  });

  it("fails if the list of projects may be incomplete", async () => {
    const body = JSON.stringify({ results: [{ name: "orders" }], totalCount: 1 });
    service.faults.push({ path: /groups$/, withCredentials: true, status: 200, body });
    await assert.rejects(
      (await start()).list("PrivateIpMode", {}),
      /list of projects may be incomplete: the service returned a project without an ID\./,
    );
  });

  it("fails for other arguments and for a type that cannot be listed", async () => {
    const plugin = await start();
    await assert.rejects(plugin.list("PrivateIpMode", { enable: true }), /did you mean enabled\?/);
    await assert.rejects(
      plugin.list("DatabaseUrl", {}),
      /has no list of clouddb:index:DatabaseUrl/,
    );
  });
});
