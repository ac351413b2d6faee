/** `pulumi do` with the packed plugin, without a program or a state, as in docs/guides/languages.md. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { packedPlugin } from "../../lifecycles/packedPlugin";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { projectId, settingsFor, useService } from "../../support/service";
import { pulumiIn } from "../terminal";

describe("pulumi do", () => {
  const cleanup = useCleanup("test");
  const service = useService();

  async function pulumiDo(args: readonly string[], code = 0) {
    const pulumi = pulumiIn(cleanup, temporaryFolder(cleanup), settingsFor(service));
    const plugin = ["--package", join(packedPlugin(), "pulumi-resource-clouddb")];
    return await pulumi(["do", ...plugin, ...args], { code });
  }

  it("lists projects and clusters with the IDs of their resources, and reads one", async () => {
    const projects = await pulumiDo(["clouddb:PrivateIpMode", "list", "--enabled=true"]);
    assert.deepEqual(JSON.parse(projects.stdout), [{ id: projectId, name: projectId }]);
    const list = ["clouddb:ClusterConnectionStrings", "list", "--project-id", projectId];
    const { stdout } = await pulumiDo([...list, "--count", "1"]);
    const id = `${projectId}/analytics`;
    assert.deepEqual(JSON.parse(stdout), [{ id, name: "analytics" }]);
    const read = await pulumiDo(["clouddb:ClusterConnectionStrings", "read", id]);
    assert.match(read.stderr, /recommended +: "db\+srv:\/\/analytics\./);
  });

  it("refuses to disable the mode, and names the clusters", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    const patch = ["patch", projectId, "--enabled=false", "--stateless", "--yes"];
    const { stderr } = await pulumiDo(["clouddb:PrivateIpMode", ...patch], 1);
    assert.match(stderr, /cannot be disabled: 1 of its 4 clusters.*:\n +orders +6\.0\.5\n/);
    assert.equal(service.patches().length, 0);
  });

  it("retains the mode by default, although it reports a deletion", async () => {
    const remove = ["delete", projectId, "--stateless", "--yes"];
    const { stderr } = await pulumiDo(["clouddb:PrivateIpMode", ...remove]);
    assert.match(stderr, /1 deleted/);
    assert.ok(service.project().privateIpMode.enabled);
    assert.equal(service.patches().length, 0);
  });
});
