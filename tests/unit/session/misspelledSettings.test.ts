import assert from "node:assert/strict";
import { readSettings } from "../../../provider/src/session/readSettings";
import { processSettings } from "../../../provider/src/session/settings";

type Configuration = Record<string, string>;

function check(configuration: Configuration, environment: NodeJS.ProcessEnv = {}) {
  const get = (key: string) => configuration[`clouddb:${key}`];
  const keys = () => Object.keys(configuration);
  return readSettings({ owner: { kind: "stack" }, get, keys }, environment);
}

/** Returns the error message for invalid settings. */
function errorMessage(configuration: Configuration, environment: NodeJS.ProcessEnv = {}) {
  try {
    check(configuration, environment);
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.ok(!error.message.includes("s3cret"), "the message contains a secret");
    return error.message;
  }
  assert.fail("the settings were accepted");
}

describe("a misspelled setting", () => {
  const url = "https://api.example.com";
  const withoutUrl = { "clouddb:publicKey": "public", "clouddb:privateKey": "s3cret-private" };
  const valid = { ...withoutUrl, "clouddb:baseUrl": url };

  for (const key of ["clouddb:baseURL", "clouddb:base_url", "clouddb:baseUri", "CloudDB:baseUrl"]) {
    it(`is reported with the missing setting: ${key}`, () => {
      const message = errorMessage({ ...withoutUrl, [key]: url });
      assert.match(message, /clouddb:baseUrl \(or CLOUDDB_BASE_URL\) is not set/);
      assert.ok(message.includes(`${key} is not a setting; did you mean clouddb:baseUrl?`));
    });
  }

  for (const name of [
    "CLOUDDB_BASEURL",
    "CLOUDDB_BASE_URI",
    "clouddb_base_url",
    "CLOUDB_BASE_URL",
  ]) {
    it(`is reported when it is in the environment: ${name}`, () => {
      const message = errorMessage(withoutUrl, { [name]: url });
      assert.ok(message.includes(`${name} is not a setting; did you mean CLOUDDB_BASE_URL?`));
    });
  }

  it("is a warning when all required settings are set", () => {
    const { warnings } = check({ ...valid, "clouddb:requestPerMinute": "10" });
    assert.deepEqual(warnings, [
      "clouddb:requestPerMinute is not a setting; did you mean clouddb:requestsPerMinute?",
    ]);
  });

  it("is not reported for the user's own keys or for other namespaces", () => {
    const own = { "clouddb:owner": "team", "clouddb:clusters": "{}", "tested:baseURL": url };
    const environment = { CLOUDDB_PROJECT_ID: "p", CLOUDDB_BASE_URL: url, BASE_URL: url };
    assert.deepEqual(check({ ...valid, ...own }, environment).warnings, []);
  });

  it("is reported with escaped control characters and without its value", () => {
    const message = errorMessage({ ...withoutUrl, "clouddb:base\nUrl": "s3cret" });
    assert.match(message, /clouddb:base\\nUrl is not a setting/);
  });

  it("is found in the configuration of a provider process, unless Pulumi hides its keys", () => {
    const record: Configuration = { ...withoutUrl, "clouddb:baseURL": url };
    const hidden = { get: (key: string) => record[key] };
    assert.deepEqual(processSettings(hidden).keys(), []);
    const config = { ...hidden, rawConfig: record };
    assert.ok(processSettings(config).keys().includes("clouddb:baseURL"));
    assert.equal(processSettings(config).get("publicKey"), "public");
  });
});
