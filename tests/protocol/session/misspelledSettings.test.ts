import assert from "node:assert/strict";
import { key, projectId, settingsFor } from "../../service";
import { useProviders } from "../useProvider";

describe("a misspelled setting", () => {
  const { service, start } = useProviders("clusterConnectionStrings");
  const lookup = { projectId, clusterName: "orders" };
  const configured = () => {
    const { CLOUDDB_BASE_URL: baseUrl = "", CLOUDDB_CA_FILE: caFile = "" } = settingsFor(service);
    const { publicKey, privateKey } = key;
    return { baseUrl, caFile, publicKey, privateKey };
  };
  const inNamespace = (settings: Record<string, string>) =>
    Object.fromEntries(Object.entries(settings).map(([name, text]) => [`clouddb:${name}`, text]));

  it("is reported with the nearest setting if that one is missing", async () => {
    const { baseUrl, ...rest } = configured();
    const configuration = inNamespace({ ...rest, baseURL: baseUrl });
    const provider = await start({ configuration, environment: {} });
    const { failures } = await provider.check(lookup);
    assert.equal(failures.length, 1);
    const [{ reason } = { reason: "" }] = failures;
    assert.match(reason, /clouddb:baseUrl \(or CLOUDDB_BASE_URL\) is not set/);
    assert.match(reason, /clouddb:baseURL is not a setting; did you mean clouddb:baseUrl\?/);
  });

  it("causes one warning per setting if all required settings are set", async () => {
    const configuration = inNamespace({ ...configured(), requestPerMinute: "50", team: "data" });
    const environment = { CLOUDDB_FIELDPREFIX: "db" };
    const provider = await start({ configuration, environment });
    for (const clusterName of ["orders", "billing"]) {
      assert.deepEqual((await provider.check({ projectId, clusterName })).failures, []);
    }
    assert.deepEqual(
      provider
        .output()
        .match(/warning: .*/g)
        ?.sort(),
      [
        "warning: CLOUDDB_FIELDPREFIX is not a setting; did you mean CLOUDDB_FIELD_PREFIX?",
        "warning: clouddb:requestPerMinute is not a setting; did you mean clouddb:requestsPerMinute?",
      ],
    );
  });
});
