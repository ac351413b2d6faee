import assert from "node:assert/strict";
import type { SettingKey } from "../../../provider/src/session/settingNames";
import { readSettings } from "../../../provider/src/session/settings";

const valid: Partial<Record<SettingKey, string>> = {
  baseUrl: "https://api.example.com",
  publicKey: "public",
  privateKey: "private",
};

describe("the error for an invalid setting", () => {
  for (const [key, value, problem] of [
    ["baseUrl", "api.example.com", "is not a URL; set it to the service's origin, such as"],
    ["baseUrl", "http://api.example.com", "must start with https://: the provider only"],
    ["baseUrl", "https://key@api.example.com", "must not contain credentials; set publicKey and"],
    ["baseUrl", "https://api.example.com/v1", "must be an origin without a path; set the path"],
    ["apiPath", "/api/", "must be a path that starts with / and does not end with one"],
    ["privateKey", "private\n", "begins or ends with white space, or contains a line break"],
    ["publicKey", "püblic", "contains a character that is not printable ASCII"],
    ["fieldPrefix", "my-db", "must be letters, digits or _"],
    ["mediaType", "json", "must be a media type, such as application/json"],
    ["requestsPerMinute", "many", "must be a number of requests"],
    ["requestsPerMinute", "1.5", "must be a whole number"],
    ["requestsPerMinute", "0", "must be at least 1"],
    ["requestTimeoutSeconds", "long", "must be a number of seconds"],
    ["requestTimeoutSeconds", "0", "must be more than 0"],
    ["requestTimeoutSeconds", "601", "must be at most 600"],
    ["caFile", __filename, "is not a valid PEM certificate file"],
    ["caFile", "/does/not/exist", "cannot be read (ENOENT)"],
  ] as const) {
    it(`says that ${key} ${problem}`, () => {
      const settings = { ...valid, [key]: value };
      const source = {
        owner: { kind: "stack" } as const,
        get: (name: SettingKey) => settings[name],
        keys: () => [],
      };
      assert.throws(
        () => readSettings(source, {}),
        ({ message }: Error) =>
          message.startsWith(`a setting needs attention: clouddb:${key} (or `) &&
          message.includes(problem),
      );
    });
  }
});
