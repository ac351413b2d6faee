import assert from "node:assert/strict";
import { projectId } from "../../service";
import { waitUntil } from "../../waitUntil";
import { useProviders } from "../useProvider";

describe("the warning before a disable", () => {
  const { service, start } = useProviders("privateIpMode");
  const disable = { projectId, enabled: false };

  it("names the lookups of Internet strings in the same process, also those that waited", async () => {
    service.project().updateCluster("billing", { peering: true, pendingStrings: ["standard"] });
    const { check, resource, output } = await start();
    const lookups = resource("clusterConnectionStrings");
    await lookups.check({ projectId, clusterName: "orders" });
    const billing = { projectId, clusterName: "billing", waitSeconds: 8 };
    const { inputs } = await lookups.check(billing);
    service.project().updateCluster("billing", { pendingStrings: [] });
    await lookups.create(inputs);
    await check(disable);
    await waitUntil("a warning", () => output().includes("warning"), output);
    assert.match(
      output(),
      /return other strings: billing \(standardSrv\), orders \(standardSrv\)\./,
    );
  });

  it("is logged before the change, even if the change follows immediately", async () => {
    const { check, create, output } = await start();
    await create((await check(disable)).inputs);
    await check({ projectId, enabled: true });
    const [disabling, enabling] = ["warning: disabling", "warning: enabling"];
    const isLogged = (warning: string) => output().includes(warning);
    await waitUntil("both warnings", () => [disabling, enabling].every(isLogged), output);
    assert.ok(output().indexOf(disabling) < output().indexOf(enabling), output());
  });
});
