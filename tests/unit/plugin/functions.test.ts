import assert from "node:assert/strict";
import { functions } from "../../../plugin/src/functions";

describe("a function of the plugin", () => {
  it("names itself and the problem if an argument is invalid", async () => {
    const call = functions.get("clouddb:index:classifyConnectionString");
    assert.ok(call !== undefined);
    const noSession = () => assert.fail("the function sends no request");
    const args = { connectionString: "db://a.db.example", domain: 1 };
    const work = async () => await call(noSession, args);
    await assert.rejects(
      work,
      /invalid arguments of classifyConnectionString: .*must be the service's cluster domain, such as clusters\.example/,
    );
  });
});
