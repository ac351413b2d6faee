import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings } from "../../../provider/src/session/settings";
import { type SettingsOwner, environmentOnly } from "../../../provider/src/session/settingsSource";

const right = {
  "clouddb:baseUrl": "https://api.example.com",
  "clouddb:publicKey": "public",
  "clouddb:privateKey": "s3cret-private",
};

type Configuration = Record<string, string>;

/** As the stack's configuration, unless they have another owner. */
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

/** The message with which the settings are refused. */
function refused(
  configuration: Configuration,
  environment: NodeJS.ProcessEnv = {},
  owner: SettingsOwner = { kind: "stack" },
) {
  try {
    check(configuration, environment, owner);
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.ok(!error.message.includes("s3cret"), "no secret in the message");
    return error.message;
  }
  assert.fail("the settings are accepted");
}

describe("settings", () => {
  it("come from the stack's configuration, with the documented defaults", () => {
    const settings = read(right);
    assert.equal(settings.baseUrl.origin, "https://api.example.com");
    assert.equal(settings.apiPath, "/api/service/v1.0");
    assert.equal(settings.fieldPrefix, "db");
    assert.equal(settings.mediaType, "application/json");
    assert.equal(settings.requestTimeoutSeconds, 30);
  });

  it("fall back on the environment, one by one", () => {
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

  it("name all missing settings in one error, with the command to set each", () => {
    const message = refused({});
    assert.match(message, /clouddb:baseUrl \(or CLOUDDB_BASE_URL\) is not set: pulumi config set/);
    assert.match(message, /clouddb:publicKey/);
    assert.match(message, /pulumi config set --secret clouddb:privateKey/);
  });

  it("treat an empty value as not set", () => {
    assert.match(refused({ ...right, "clouddb:privateKey": "" }), /clouddb:privateKey.*not set/);
  });

  it("take a service account in place of an API key", () => {
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

  it("take a pair from the configuration alone where the environment has the other one", () => {
    const environment = { CLOUDDB_CLIENT_ID: "other", CLOUDDB_CLIENT_SECRET: "s3cret" };
    assert.equal(read(right, environment).credentials.kind, "apiKey");
  });

  it("refuse two pairs of credentials, and half of one", () => {
    const account = { "clouddb:clientId": "svc", "clouddb:clientSecret": "s3cret" };
    assert.match(refused({ ...right, ...account }), /credentials are given twice/);
    const half = { "clouddb:baseUrl": "https://api.example.com", "clouddb:clientId": "svc" };
    assert.match(refused(half), /config set --secret clouddb:clientSecret/);
  });

  for (const [what, wrong, expected] of [
    ["no number", { "clouddb:requestsPerMinute": "1.5" }, /requestsPerMinute.*whole number/],
    ["http", { "clouddb:baseUrl": "http://api.example.com" }, /baseUrl.*must start with https/],
    ["no URL", { "clouddb:baseUrl": "api.example.com" }, /baseUrl.*not a URL/],
    ["credentials", { "clouddb:baseUrl": "https://u:s3cret@a.b" }, /must not hold credentials/],
    ["a path", { "clouddb:baseUrl": "https://a.b/api" }, /origin without a path/],
    ["no time", { "clouddb:requestTimeoutSeconds": "soon" }, /requestTimeoutSeconds.*number/],
    ["a fragment", { "clouddb:baseUrl": "https://a.b/#api" }, /origin without a path/],
    ["https without slashes", { "clouddb:baseUrl": "https:a.b" }, /baseUrl.*must start with https/],
    ["a missing file", { "clouddb:caFile": "/does/not/exist" }, /caFile.*ENOENT/],
  ] as const) {
    it(`refuse ${what} where it is wrong`, () => {
      assert.match(refused({ ...right, ...wrong }), expected);
    });
  }

  for (const baseUrl of [
    "HTTPS://api.example.com",
    "Https://API.Example.com/",
    " https://api.example.com\n",
  ]) {
    it(`accept the base URL ${JSON.stringify(baseUrl)}`, () => {
      const settings = read({ ...right, "clouddb:baseUrl": baseUrl });
      assert.equal(settings.baseUrl.origin, "https://api.example.com");
    });
  }

  it("accept a proxy whose scheme is in upper case", () => {
    read(right, { HTTPS_PROXY: "HTTP://Proxy.example.com:3128/" });
  });

  it("show a path on one line, without terminal control characters", () => {
    const message = refused({ ...right, "clouddb:caFile": "/no/\u001b[2Jfile\n" });
    assert.match(message, /caFile.*: \/no\/\\u\{1b\}\[2Jfile\\n cannot be read \(ENOENT\)$/);
  });

  it("refuse a key that ends with a line break", () => {
    const message = refused({ ...right, "clouddb:privateKey": "s3cret-private\n" });
    assert.match(message, /clouddb:privateKey .*line break/);
  });

  it("refuse a proxy that is not a URL, without repeating it", () => {
    const message = refused(right, { HTTPS_PROXY: "user:s3cret@proxy.example.com:3128" });
    assert.match(message, /HTTPS_PROXY is not the URL of a proxy/);
  });

  for (const [what, pem] of [
    ["without a certificate", "nothing"],
    ["whose certificate cannot be read", certificate("bm8gY2VydGlmaWNhdGU=")],
  ] as const) {
    it(`refuse a CA file ${what}`, () => {
      const path = join(mkdtempSync(join(tmpdir(), "clouddb-")), "ca.pem");
      writeFileSync(path, pem);
      assert.match(refused({ ...right, "clouddb:caFile": path }), /holds no PEM certificate/);
    });
  }

  const stack = { kind: "stack" } as const;
  const remedies: [what: string, owner: SettingsOwner, says: RegExp, never: RegExp][] = [
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
  for (const [what, owner, says, never] of remedies) {
    it(`recommend only what is read: ${what}`, () => {
      const message = refused({}, {}, owner);
      assert.match(message, says);
      assert.doesNotMatch(message, never);
    });
  }

  it("name the environment's variables where two pairs of credentials are given there", () => {
    const keys = { CLOUDDB_PUBLIC_KEY: "a", CLOUDDB_PRIVATE_KEY: "s3cret" };
    const account = { CLOUDDB_CLIENT_ID: "b", CLOUDDB_CLIENT_SECRET: "s3cret" };
    const environment = { CLOUDDB_BASE_URL: "https://a.b", ...keys, ...account };
    const message = refused({}, environment, environmentOnly.owner);
    assert.match(message, /keep CLOUDDB_PUBLIC_KEY and CLOUDDB_PRIVATE_KEY, or CLOUDDB_CLIENT_ID/);
  });
});

function certificate(base64: string): string {
  return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
}
