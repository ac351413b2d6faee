import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "../../../provider/src";
import { useMockedEngine } from "../program/mockedEngine";

describe("withCredentials in a program", () => {
  useMockedEngine();
  const string = "db+srv://orders.ab1cd.db.example";

  it("returns a secret, even for a user without a password", async () => {
    const options = {
      authMechanism: pulumi.output("MONGODB-AWS"),
      readPreferenceTags: ["a:b", ""],
    };
    const url = clouddb.withCredentials(string, { database: pulumi.output("shop"), options });
    assert.equal(await pulumi.isSecret(url), true);
    assert.equal(
      await new Promise((resolve) => url.apply(resolve)),
      `${string}/shop?authMechanism=MONGODB-AWS&readPreferenceTags=a:b&readPreferenceTags=`,
    );
  });
});
