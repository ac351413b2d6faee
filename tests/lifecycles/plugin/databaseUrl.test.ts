import assert from "node:assert/strict";
import { unknown } from "../providerProcess";
import { asSecret, usePlugin } from "./usePlugin";

describe("a DatabaseUrl of the plugin", () => {
  const { start } = usePlugin();

  it("is known in a preview, unless an argument is unknown", async () => {
    const plugin = await start();
    const args = { connectionString: "db://orders.example", username: "app", password: "p" };
    const outputs = await plugin.createInPreview("databaseUrl", args);
    assert.deepEqual(outputs["url"], asSecret("db://app:p@orders.example"));
    const pending = { ...args, password: unknown };
    const { failures } = await plugin.resource("databaseUrl").check(pending);
    assert.deepEqual(failures, []);
    const unknownOutputs = await plugin.createInPreview("databaseUrl", pending);
    assert.deepEqual(unknownOutputs["url"], asSecret(unknown));
  });
});
