import assert from "node:assert/strict";
import { readSettings } from "../../../provider/src/session/readSettings";
import type { SettingKey } from "../../../provider/src/session/settings";

const valid = {
  baseUrl: "https://api.example.com",
  publicKey: "public",
  privateKey: "private",
};

describe("the error for an invalid setting", () => {
  for (const [key, value, problem] of [
    ["baseUrl", "api.example.com", "is not a URL; set it to the service's origin, such as"],
    ["baseUrl", "http://api.example.com", "must start with https://: the provider only"],
    ["baseUrl", "https://key@api.example.com", "must not contain credentials; set publicKey and"],
    ["baseUrl", "https:api.example.com", "must start with https://: the provider only"],
    ["baseUrl", "https://api.example.com/#v1", "must be an origin without a path; set the path"],
    ["baseUrl", "https://api.example.com/v1", "must be an origin without a path; set the path"],
    ["apiPath", "/api/", "must be a path that starts with / and does not end with one"],
    ["baseUrl", "https://api.exam\nple.com", "contains a line break, or another control or"],
    ["apiPath", "/api/../service", "must be a path that starts with / and does not end with one"],
    ["tokenPath", "//other.example/token", "must be a path that starts with / and does not end"],
    ["apiPath", "/api ", "begins or ends with white space, such as a line break"],
    ["privateKey", "private\n", "begins or ends with white space, such as a line break"],
    ["clientId", "svc\u0000", "contains a line break, or another control or invisible character"],
    ["clientSecret", "se\u200bcret", "contains a line break, or another control or invisible"],
    ["publicKey", "püblic", "contains a character that is not printable ASCII"],
    ["fieldPrefix", "my-db", "must be letters, digits or _"],
    ["mediaType", "json", "must be a media type, such as application/json"],
    ["requestsPerMinute", "1.5", "must be a whole number, in decimal digits"],
    ["requestsPerMinute", "0x10", "must be a whole number, in decimal digits"],
    ["requestsPerMinute", "0", "must be at least 1"],
    ["requestsPerMinute", "9".repeat(400), "is too large"],
    ["requestTimeoutSeconds", "long", "must be a number of seconds, in decimal digits"],
    ["requestTimeoutSeconds", "1e-9", "must be a number of seconds, in decimal digits"],
    ["requestTimeoutSeconds", "Infinity", "must be a number of seconds, in decimal digits"],
    ["requestTimeoutSeconds", "0.01", "must be at least 0.1"],
    ["requestTimeoutSeconds", "601", "must be at most 600"],
    ["caFile", __filename, "is not a valid PEM certificate file"],
    ["caFile", "/does/not/exist", "cannot be read (ENOENT)"],
  ] as const) {
    it(`says that ${key} ${problem}`, () => {
      const account = { baseUrl: valid.baseUrl, clientId: "svc", clientSecret: "secret" };
      const settings: Partial<Record<SettingKey, string>> = {
        ...(key in account ? account : valid),
        [key]: value,
      };
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
