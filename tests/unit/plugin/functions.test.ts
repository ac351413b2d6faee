import assert from "node:assert/strict";
import { functions } from "../../../plugin/src/functions";

describe("the failure of a function of the plugin", () => {
  const noSession = () => assert.fail("the function sends no request");
  const text = { connectionString: "db://a.db.example" };
  const valid = { ...text, username: "app", password: "secret" };

  for (const [name, args, problem] of [
    ["withCredentials", { ...valid, connectionString: 1 }, "must be a connection string"],
    ["withCredentials", { ...valid, username: 1 }, "must be the name of a database user"],
    ["withCredentials", { ...valid, password: 1 }, "must be the password of the database user"],
    ["withCredentials", { ...valid, options: 1 }, "must be an object with the options to add"],
    [
      "withCredentials",
      { ...valid, options: { a: [] } },
      "must be a string, a number or a boolean",
    ],
    [
      "classifyConnectionString",
      { ...text, domain: 1 },
      "must be the service's cluster domain, such as clusters.example",
    ],
  ] as const) {
    it(`${name} says: ${problem}`, async () => {
      const call = functions.get(`clouddb:index:${name}`);
      assert.ok(call !== undefined);
      const work = async () => await call(noSession, args);
      await assert.rejects(work, (error: Error) => {
        assert.match(error.message, new RegExp(`^invalid arguments of ${name}: `));
        return error.message.includes(problem);
      });
    });
  }
});
