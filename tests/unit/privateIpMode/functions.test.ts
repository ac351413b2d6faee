import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import {
  type GetPrivateIpModeReadinessArgs,
  getPrivateIpModeReadiness,
} from "../../../provider/src";

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

  for (const [what, args, expected] of [
    [
      "a misspelled argument",
      '{ "projectID": "p" }',
      /no argument "projectID"; did you mean projectId\?/,
    ],
    [
      "an unknown argument",
      '{ "projectId": "p", "region": "x" }',
      /"region"; expected only projectId$/,
    ],
    ["a missing argument", "{}", /projectId: must be a project ID$/],
    ["an empty project ID", '{ "projectId": "" }', /projectId: must be a project ID, not empty$/],
  ] as const) {
    it(`rejects ${what} before any request`, async () => {
      // A JavaScript program can pass arguments that TypeScript rejects.
      const untyped = JSON.parse(args) as GetPrivateIpModeReadinessArgs;
      await assert.rejects(getPrivateIpModeReadiness(untyped), (error: Error) => {
        assert.ok(pulumi.RunError.isInstance(error));
        assert.match(error.message, /^invalid arguments for getPrivateIpModeReadiness: /);
        assert.match(error.message, expected);
        return true;
      });
    });
  }
});
