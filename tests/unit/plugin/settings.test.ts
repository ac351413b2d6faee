import assert from "node:assert/strict";
import { warnOfUnencryptedSecrets } from "../../../plugin/src/settings";

describe("the warning of the plugin about a credential", () => {
  it("names each secret setting that is not stored as a secret", async () => {
    const logged: string[] = [];
    const settings = { publicKey: "public", privateKey: "private", clientSecret: "secret" };
    await warnOfUnencryptedSecrets(settings, ["clientSecret"], (severity, message) => {
      logged.push(`${severity}: ${message}`);
      return Promise.resolve();
    });
    assert.deepEqual(logged, [
      "warning: the setting privateKey is stored in plain text: run pulumi config set --secret clouddb:privateKey, or pass a secret to clouddb.Provider",
    ]);
  });
});
