import assert from "node:assert/strict";
import { projectId, settingsFor } from "../../support/service";
import { useProviders } from "../useProvider";

describe("the setting mediaType", () => {
  const { service, start } = useProviders("clusterConnectionStrings", {
    settings: { versions: { dates: ["2023-01-01", "2024-08-05"], ended: ["2023-01-01"] } },
  });
  const checkWith = async (mediaType: string) => {
    const environment = { ...settingsFor(service), CLOUDDB_MEDIA_TYPE: mediaType };
    const provider = await start({ environment });
    return provider.check({ projectId, clusterName: "orders" });
  };

  it("selects the version of the API's resources", async () => {
    const { failures, inputs } = await checkWith("application/vnd.clouddb.2024-10-01+json");
    assert.deepEqual(failures, []);
    assert.match(String(inputs["recommended"]), /^db\+srv:\/\/orders\./);
  });

  for (const [status, mediaType] of [
    [406, "application/json"],
    [410, "application/vnd.clouddb.2023-05-01+json"],
  ] as const) {
    it(`is named in the error if the service responds with ${status}`, async () => {
      const { failures } = await checkWith(mediaType);
      assert.match(failures[0]?.reason ?? "", new RegExp(`${status}.*set mediaType to a version`));
    });
  }
});
