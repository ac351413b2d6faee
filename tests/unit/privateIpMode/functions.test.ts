import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { type PrivateIpModeReadinessArgs, getPrivateIpModeReadiness } from "../../../provider/src";

describe("getPrivateIpModeReadiness", () => {
  before(() => {
    pulumi.runtime.setAllConfig({
      "clouddb:baseUrl": "https://127.0.0.1:1",
      "clouddb:publicKey": "key",
      "clouddb:privateKey": "key-secret",
    });
  });
  after(() => {
    pulumi.runtime.setAllConfig({});
  });

  for (const [what, args, says] of [
    ["is misspelled", '{ "projectID": "p" }', /no argument "projectID"; did you mean projectId\?/],
    ["does not exist", '{ "projectId": "p", "region": "x" }', /"region"; expected only projectId$/],
    ["is missing", "{}", /projectId: must be a project ID$/],
    ["is empty", '{ "projectId": "" }', /projectId: must be a project ID, not empty$/],
  ] as const) {
    it(`is refused where an argument ${what}, before any request`, async () => {
      // As a program in JavaScript would call it.
      const given = JSON.parse(args) as PrivateIpModeReadinessArgs;
      await assert.rejects(getPrivateIpModeReadiness(given), (error: Error) => {
        assert.ok(pulumi.RunError.isInstance(error));
        assert.match(error.message, /^invalid arguments of getPrivateIpModeReadiness: /);
        assert.match(error.message, says);
        return true;
      });
    });
  }
});
