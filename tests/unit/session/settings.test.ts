import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings } from "../../../provider/src/session/readSettings";
import { type SettingsOwner, environmentOnly } from "../../../provider/src/session/settings";

const valid = {
  "clouddb:baseUrl": "https://api.example.com",
  "clouddb:publicKey": "public",
  "clouddb:privateKey": "s3cret-private",
};

type Configuration = Record<string, string>;

/** Reads the settings. The owner is the stack unless another one is passed. */
function check(
  configuration: Configuration,
  environment: NodeJS.ProcessEnv = {},
  owner: SettingsOwner = { kind: "stack" },
) {
  const get = (key: string) => configuration[`clouddb:${key}`];
  return readSettings({ owner, get, keys: () => Object.keys(configuration) }, environment);
}

function read(configuration: Configuration, environment: NodeJS.ProcessEnv = {}) {
  return check(configuration, environment).client;
}

/** Returns the error message for invalid settings. */
function errorMessage(
  configuration: Configuration,
  environment: NodeJS.ProcessEnv = {},
  owner: SettingsOwner = { kind: "stack" },
) {
  try {
    check(configuration, environment, owner);
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.ok(!error.message.includes("s3cret"), "the message contains a secret");
    return error.message;
  }
  assert.fail("the settings were accepted");
}

describe("settings", () => {
  it("are read from the stack's configuration, with the documented defaults", () => {
    const settings = read(valid);
    assert.equal(settings.baseUrl.origin, "https://api.example.com");
    assert.equal(settings.apiPath, "/api/service/v1.0");
    assert.equal(settings.fieldPrefix, "db");
    assert.equal(settings.mediaType, "application/json");
    assert.equal(settings.requestTimeoutSeconds, 30);
  });

  it("are each read from the environment when the configuration does not contain them", () => {
    const settings = read(
      { "clouddb:baseUrl": "https://config.example.com" },
      {
        CLOUDDB_BASE_URL: "https://environment.example.com",
        CLOUDDB_PUBLIC_KEY: "public",
        CLOUDDB_PRIVATE_KEY: "private",
        CLOUDDB_REQUEST_TIMEOUT_SECONDS: "5",
      },
    );
    assert.equal(settings.baseUrl.origin, "https://config.example.com");
    assert.equal(settings.requestTimeoutSeconds, 5);
  });

  it("are all named in one error when they are missing, with the command to set each", () => {
    const message = errorMessage({});
    assert.match(message, /clouddb:baseUrl \(or CLOUDDB_BASE_URL\) is not set: pulumi config set/);
    assert.match(message, /pulumi config set clouddb:clientId/);
    assert.match(message, /pulumi config set --secret clouddb:clientSecret/);
  });

  it("have all their problems in one error", () => {
    const message = errorMessage(
      {
        "clouddb:privateKey": "s3cret-private",
        "clouddb:requestsPerMinute": "0",
        "clouddb:caFile": "/does/not/exist",
        "clouddb:baseURL": "https://api.example.com",
      },
      { HTTPS_PROXY: "user:s3cret@proxy.example.com:3128" },
    );
    assert.match(message, /^6 settings need attention:\n/);
    for (const problem of [
      /clouddb:baseUrl .* is not set/,
      /clouddb:publicKey .* is not set/,
      /clouddb:requestsPerMinute .* must be at least 1/,
      /HTTPS_PROXY is not a proxy URL/,
      /clouddb:caFile .* cannot be read \(ENOENT\)/,
      /clouddb:baseURL is not a setting/,
    ]) {
      assert.match(message, problem);
    }
  });

  it("are missing when their value is empty", () => {
    assert.match(
      errorMessage({ ...valid, "clouddb:privateKey": "" }),
      /clouddb:privateKey.*not set/,
    );
  });

  it("accept a service account instead of an API key", () => {
    const { credentials } = read({
      "clouddb:baseUrl": "https://api.example.com",
      "clouddb:clientId": "svc",
      "clouddb:clientSecret": "secret",
    });
    assert.deepEqual(credentials, {
      kind: "serviceAccount",
      clientId: "svc",
      clientSecret: "secret",
      tokenPath: "/api/oauth/token",
    });
  });

  it("use only the pair of the configuration when the environment has the other pair", () => {
    const environment = { CLOUDDB_CLIENT_ID: "other", CLOUDDB_CLIENT_SECRET: "s3cret" };
    assert.equal(read(valid, environment).credentials.kind, "apiKey");
  });

  it("reject two pairs of credentials, and an incomplete pair", () => {
    const account = { "clouddb:clientId": "svc", "clouddb:clientSecret": "s3cret" };
    assert.match(errorMessage({ ...valid, ...account }), /two pairs of credentials are set/);
    const half = { "clouddb:baseUrl": "https://api.example.com", "clouddb:clientId": "svc" };
    assert.match(errorMessage(half), /config set --secret clouddb:clientSecret/);
  });

  for (const baseUrl of ["HTTPS://api.example.com", "Https://API.Example.com/"]) {
    it(`accept the base URL ${JSON.stringify(baseUrl)}`, () => {
      const settings = read({ ...valid, "clouddb:baseUrl": baseUrl });
      assert.equal(settings.baseUrl.origin, "https://api.example.com");
    });
  }

  it("accept a proxy with a scheme in upper case", () => {
    read(valid, { HTTPS_PROXY: "HTTP://Proxy.example.com:3128/" });
  });

  it("reject a proxy that is not a URL without quoting it", () => {
    const message = errorMessage(valid, { HTTPS_PROXY: "user:s3cret@proxy.example.com:3128" });
    assert.match(message, /HTTPS_PROXY is not a proxy URL/);
  });

  for (const [what, pem] of [
    ["without a certificate", "nothing"],
    ["with an invalid certificate", certificate("bm8gY2VydGlmaWNhdGU=")],
  ] as const) {
    it(`reject a CA file ${what}`, () => {
      const path = join(mkdtempSync(join(tmpdir(), "clouddb-")), "ca.pem");
      writeFileSync(path, pem);
      assert.match(
        errorMessage({ ...valid, "clouddb:caFile": path }),
        /is not a valid PEM certificate file/,
      );
    });
  }

  const stack = { kind: "stack" } as const;
  const remedies: [what: string, owner: SettingsOwner, expected: RegExp, unexpected: RegExp][] = [
    ["the stack", stack, /config set clouddb:baseUrl .*, or export CLOUDDB_BASE_URL=/, /provider/],
    [
      "the environment alone",
      { kind: "environment" },
      /^ {2}CLOUDDB_BASE_URL is not set: export CLOUDDB_BASE_URL=https:\/\/\.\.\.$/m,
      /pulumi|clouddb:/,
    ],
    [
      "an explicit provider",
      { kind: "provider", name: "partner" },
      /baseUrl of clouddb\.Provider "partner" .* is not set: pass it to the provider, or pulumi config set/,
      /clouddb:baseUrl \(or/,
    ],
  ];
  for (const [what, owner, expected, unexpected] of remedies) {
    it(`recommend only sources that are read, with ${what} as the owner`, () => {
      const message = errorMessage({}, {}, owner);
      assert.match(message, expected);
      assert.doesNotMatch(message, unexpected);
    });
  }

  it("name the environment variables when the environment has two pairs of credentials", () => {
    const keys = { CLOUDDB_PUBLIC_KEY: "a", CLOUDDB_PRIVATE_KEY: "s3cret" };
    const account = { CLOUDDB_CLIENT_ID: "b", CLOUDDB_CLIENT_SECRET: "s3cret" };
    const environment = { CLOUDDB_BASE_URL: "https://a.b", ...keys, ...account };
    const message = errorMessage({}, environment, environmentOnly.owner);
    assert.match(message, /keep CLOUDDB_PUBLIC_KEY and CLOUDDB_PRIVATE_KEY, or CLOUDDB_CLIENT_ID/);
  });
});

function certificate(base64: string): string {
  return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
}
