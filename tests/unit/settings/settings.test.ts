import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings } from "../../../provider/src/settings/readSettings";
import { type SettingsOwner, environmentOnly } from "../../../provider/src/settings/settings";
import { loopbackCertificate } from "../../support/certificate";

const valid = {
  "clouddb:baseUrl": "https://api.example.com",
  "clouddb:publicKey": "public",
  "clouddb:privateKey": "s3cret-private",
};

type Configuration = Record<string, string>;

function prefixed(settings: Configuration): Configuration {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [`clouddb:${key}`, value]),
  );
}

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

const base = { "clouddb:baseUrl": valid["clouddb:baseUrl"] };
const account = { clientId: "svc", clientSecret: "s3cret" };
const accountInEnvironment = { CLOUDDB_CLIENT_ID: "svc", CLOUDDB_CLIENT_SECRET: "s3cret" };

describe("settings", () => {
  it("are read from the stack's configuration, with the documented defaults", () => {
    const { baseUrl, apiPath, fieldPrefix, clusterPaths, ...settings } = read(valid);
    assert.equal(baseUrl.origin, "https://api.example.com");
    assert.deepEqual([apiPath, fieldPrefix], ["/api/service/v1.0", "db"]);
    assert.deepEqual(clusterPaths, ["clusters"]);
    const { mediaType, contentType, requestTimeoutSeconds } = settings;
    assert.deepEqual([mediaType, contentType], ["application/json", "application/json"]);
    assert.equal(requestTimeoutSeconds, 30);
  });

  it("have the defaults of the profile, unless they are set themselves", () => {
    const own = {
      ...valid,
      "clouddb:fieldPrefix": "my",
      "clouddb:mediaType": "application/a+json",
    };
    assert.equal(read(own).contentType, "application/json");
    const settings = read({ ...own, "clouddb:profile": "atlas" });
    const { apiPath, fieldPrefix, clusterPaths, contentType } = settings;
    assert.deepEqual([apiPath, fieldPrefix], ["/api/atlas/v2", "my"]);
    assert.deepEqual(clusterPaths, ["clusters", "flexClusters"]);
    assert.equal(contentType, "application/a+json", "sends bodies in the version of mediaType");
  });

  /** Reads the address, with complete credentials. The profile is that of Atlas unless another one is passed. */
  const addressOf = (settings: Configuration, environment: NodeJS.ProcessEnv = {}) => {
    const { "clouddb:baseUrl": _baseUrl, ...apiKey } = valid;
    const all = { ...apiKey, ...prefixed({ profile: "atlas", ...settings }) };
    try {
      return read(all, environment).baseUrl.href;
    } catch {
      return errorMessage(all, environment);
    }
  };

  for (const [title, settings, environment] of [
    ["nothing else is set", {}, {}],
    ["the variable has this address", {}, { CLOUDDB_BASE_URL: "https://cloud.mongodb.com" }],
    ["the profile is a variable", { profile: "" }, { CLOUDDB_PROFILE: "atlas" }],
  ] as const) {
    it(`have the address of Atlas with its profile if ${title}`, () => {
      assert.equal(addressOf(settings, environment), "https://cloud.mongodb.com/");
    });
  }

  it("have another address with the profile of Atlas if it is set", () => {
    for (const address of ["https://cloud.mongodbgov.com/", "https://127.0.0.1:8443/"]) {
      assert.equal(addressOf({ baseUrl: address }), address);
      assert.equal(addressOf({}, { CLOUDDB_BASE_URL: address }), address);
      assert.equal(addressOf({ baseUrl: address }, { CLOUDDB_BASE_URL: "" }), address);
      assert.equal(addressOf({ baseUrl: address, baseURL: "https://a.example" }), address);
    }
  });

  it("have no default address if it is empty or its name is misspelled", () => {
    const empty =
      /: clouddb:baseUrl \(or CLOUDDB_BASE_URL\) is empty\. Run .*\n +pulumi config set clouddb:baseUrl https:\/\/cloud\.mongodb\.com\n/;
    assert.match(addressOf({ baseUrl: "" }), empty);
    assert.match(addressOf({}, { CLOUDDB_BASE_URL: "" }), empty);
    assert.match(addressOf({ baseURL: "https://a.example" }), /did you mean clouddb:baseUrl\?$/);
    const variable = { CLOUDDB_BASEURL: "https://a.example" };
    assert.match(addressOf({}, variable), /is not set\. [^]*did you mean CLOUDDB_BASE_URL\?$/);
  });

  it("have no default address with another profile, and name that of Atlas", () => {
    for (const profile of ["", "default"])
      assert.match(
        addressOf({ profile }),
        /is not set\. [^]*For MongoDB Atlas, run only:\n +pulumi config set clouddb:profile atlas$/,
      );
    assert.match(
      addressOf({ profile: "mongodb" }),
      /^a setting is missing or invalid: clouddb:profile /,
    );
  });

  it("do not name the profile alone if the address is empty or its name is misspelled", () => {
    for (const settings of [{ baseUrl: "" }, { baseURL: "https://a.example" }]) {
      const message = addressOf({ profile: "", ...settings });
      assert.match(message, /clouddb:baseUrl .* is (?:empty|not set)\./);
      assert.doesNotMatch(message, /Atlas/);
    }
  });

  for (const host of ["cloud.mongodb.com", "cloud.mongodbgov.com"]) {
    it(`reject ${host} without the profile of Atlas, unless apiPath is set`, () => {
      const baseUrl = `https://${host}`;
      for (const profile of ["", "default"]) {
        const message = addressOf({ profile, baseUrl });
        const remedy =
          "which needs the profile atlas. Run this, or pass it to the clouddb.Provider:";
        const named = `${host} is MongoDB Atlas, ${remedy}`;
        assert.ok(message.includes(`: ${named}`), message);
        assert.match(message, /:\n +pulumi config set clouddb:profile atlas$/);
        const withPath = addressOf({ profile, baseUrl: `${baseUrl}/api/atlas/v2` });
        assert.ok(withPath.includes(named), withPath);
        assert.equal(addressOf({ profile, baseUrl, apiPath: "/api/atlas/v1.0" }), `${baseUrl}/`);
      }
    });
  }

  it("may have spaces between the paths of clusters", () => {
    const paths = { "clouddb:clusterPaths": "clusters, serverless" };
    assert.deepEqual(read({ ...valid, ...paths }).clusterPaths, ["clusters", "serverless"]);
  });

  it("are each read from the environment when the configuration does not contain them", () => {
    const { baseUrl, requestTimeoutSeconds } = read(valid, {
      CLOUDDB_BASE_URL: "https://environment.example.com",
      CLOUDDB_REQUEST_TIMEOUT_SECONDS: "5",
    });
    assert.equal(baseUrl.origin, "https://api.example.com");
    assert.equal(requestTimeoutSeconds, 5);
  });

  it("are all named in one error when they are missing or empty, with the command to set each", () => {
    const commands =
      /baseUrl \(or CLOUDDB_BASE_URL\) is (?:not set|empty)\. Run one of these, or pass it to the clouddb\.Provider:\n +pulumi config set clouddb:baseUrl [^]*set clouddb:clientId [^]*set --secret clouddb:clientSec/;
    for (const configuration of [{}, { "clouddb:baseUrl": "" }]) {
      assert.match(errorMessage(configuration), commands);
    }
  });

  it("have all their problems in one error", () => {
    const wrong = { requestTimeoutSeconds: "0", caFile: "/does/not/exist", baseURL: "https://a.b" };
    const environment = { HTTPS_PROXY: "user:s3cret@proxy.example.com:3128" };
    const message = errorMessage(prefixed({ privateKey: "s3cret", ...wrong }), environment);
    assert.match(
      message,
      /^the settings have 6 problems:\n.*baseUrl .* not set[^]*publicKey .* not set[^]*requestTimeoutSeconds .* at least 0\.1\n.*HTTPS_PROXY is not [^]*caFile .* read \(ENOENT\)\n.*baseURL is not a setting/,
    );
  });

  it("accept a service account instead of an API key, and revoke tokens beside tokenPath", () => {
    const readAccount = (paths: Configuration = {}) =>
      read({ ...base, ...prefixed({ ...account, ...paths }) }).credentials;
    const kind = "serviceAccount";
    for (const [paths, tokenPath, revokePath] of [
      [{}, "/api/oauth/token", "/api/oauth/revoke"],
      [{ tokenPath: "/oauth2/v1/t" }, "/oauth2/v1/t", "/oauth2/v1/revoke"],
    ] as const) {
      assert.deepEqual(readAccount(paths), { kind, ...account, tokenPath, revokePath });
    }
  });

  it("accept an access token as the only credentials", () => {
    const environment = { CLOUDDB_ACCESS_TOKEN: "s3cret-token" };
    const expected = { kind: "accessToken", accessToken: "s3cret-token" };
    assert.deepEqual(read(base, environment).credentials, expected);
  });

  it("use only the credentials of the configuration when the environment has others", () => {
    const environment = { ...accountInEnvironment, CLOUDDB_ACCESS_TOKEN: "s3cret" };
    assert.equal(read(valid, environment).credentials.kind, "apiKey");
  });

  it("reject several kinds of credentials, and an incomplete pair", () => {
    const both = { ...valid, ...prefixed(account) };
    assert.match(errorMessage(both), /several kinds of credentials are set/);
    const half = { ...base, "clouddb:clientId": "svc" };
    assert.match(errorMessage(half), /config set --secret clouddb:clientSecret/);
    const environment = { ...accountInEnvironment, CLOUDDB_ACCESS_TOKEN: "s3cret" };
    assert.match(
      errorMessage({}, environment, environmentOnly.owner),
      /only CLOUDDB_CLIENT_ID and CLOUDDB_CLIENT_SECRET, or CLOUDDB_ACCESS_TOKEN/,
    );
  });

  const apiKeyVariables = ["CLOUDDB_PUBLIC_KEY", "CLOUDDB_PRIVATE_KEY"] as const;
  const accountVariables = ["CLOUDDB_CLIENT_ID", "CLOUDDB_CLIENT_SECRET"] as const;
  for (const [id, secret, [ownId, ownSecret]] of [
    ["MONGODB_ATLAS_CLIENT_ID", "MONGODB_ATLAS_CLIENT_SECRET", accountVariables],
    ["MONGODB_ATLAS_PUBLIC_KEY", "MONGODB_ATLAS_PRIVATE_KEY", apiKeyVariables],
    ["MONGODB_ATLAS_PUBLIC_API_KEY", "MONGODB_ATLAS_PRIVATE_API_KEY", apiKeyVariables],
    ["MCLI_PUBLIC_API_KEY", "MCLI_PRIVATE_API_KEY", apiKeyVariables],
  ] as const) {
    it(`say that ${id} is not read, and which variable is`, () => {
      const environment = { [id]: "abcdefgh", [secret]: "s3cret-of-another-tool" };
      const message = errorMessage(base, environment, environmentOnly.owner);
      for (const [other, own] of [
        [id, ownId],
        [secret, ownSecret],
      ])
        assert.ok(
          message.includes(`${other} is set but is not read, and ${own} is not set`),
          message,
        );
      assert.equal(read(valid, environment).credentials.kind, "apiKey");
    });
  }

  it("name only the secret of another tool if their own ID is set", () => {
    const environment = {
      CLOUDDB_CLIENT_ID: "svc",
      MONGODB_ATLAS_CLIENT_SECRET: "s3cret-of-another",
    };
    assert.match(
      errorMessage(base, environment),
      /: MONGODB_ATLAS_CLIENT_SECRET is set but is not read, and clouddb:clientSecret \(or CLOUDDB_/,
    );
  });

  for (const [key, value, problem] of [
    ["baseUrl", "api.example.com", "is not a URL; set it to the service's origin, such as"],
    ["baseUrl", '"https://api.example.com"', "contains the quotes around it, which belong to"],
    ["mediaType", "'application/json'", "contains the quotes around it, which belong to the"],
    ["caFile", `"${__filename}"`, "contains the quotes around it, which belong to the value."],
    ["caFile", "-----BEGIN CERTIFICATE-----\n", "must be the path of a PEM file, not its content"],
    ["baseUrl", "http://api.example.com", "must start with https://, because the provider only"],
    ["baseUrl", "https:api.example.com", "must start with https://, because the provider only"],
    ["baseUrl", "https://api.example.com/#v1", "must be an origin without a path; set the path"],
    ["apiPath", "/api/", "must be a path such as /api/v1.0, which starts with / but does not end"],
    ["baseUrl", "https://api.exam\nple.com", "contains a line break, or another control or"],
    ["apiPath", "/api/../service", "must be a path such as /api/v1.0, which starts with / but"],
    ["tokenPath", "//other.example/token", "must be a path such as /api/v1.0, which starts with /"],
    ["apiPath", "/api ", "begins or ends with white space, such as a line break"],
    ["privateKey", "private\n", "begins or ends with white space, such as a line break"],
    ["clientId", "svc\u0000", "contains a line break, or another control or invisible character"],
    ["clientSecret", "se\u200bcret", "contains a line break, or another control or invisible"],
    ["accessToken", "Bearer s3cret", "must contain only the token, which has at most 8192 printa"],
    ["publicKey", "püblic", "contains a character that is not printable ASCII"],
    ["fieldPrefix", "my-db", "must be letters, digits or _"],
    ["mediaType", "json", "must be a media type, such as application/json"],
    [
      "profile",
      "other",
      "is not the name of a profile; expected default, or atlas for MongoDB Atlas",
    ],
    ["clusterPaths", "clusters,", "must be names of paths, separated by commas, such as"],
    ["clusterPaths", "../clusters", "must be names of paths, separated by commas, such as"],
    ["clusterPaths", "clusters,clusters", "contains a path twice"],
    ["requestTimeoutSeconds", "long", "must be a number of seconds, such as 30 or 0.5"],
    ["requestTimeoutSeconds", "0.01", "must be at least 0.1"],
    ["requestTimeoutSeconds", "601", "must be at most 600"],
    ["privateKey", "k-Calling [toString] on an [Output<T>] is not", "contains an output of Pulumi"],
    ["caFile", __filename, "is not a valid PEM certificate file"],
    ["caFile", "/does/not/exist", "cannot be read (ENOENT)"],
  ] as const) {
    it(`say that ${key} ${problem}`, () => {
      const { "clouddb:baseUrl": _baseUrl, ...apiKey } = valid;
      const pair = key === "accessToken" ? {} : key in account ? prefixed(account) : apiKey;
      const message = errorMessage({ ...base, ...pair, [`clouddb:${key}`]: value });
      assert.ok(
        message.startsWith(`a setting is missing or invalid: clouddb:${key} (or `),
        message,
      );
      assert.ok(message.includes(problem), message);
    });
  }

  it("accept a base URL and a proxy with a scheme in upper case", () => {
    const configuration = { ...valid, "clouddb:baseUrl": "Https://API.Example.com/" };
    const settings = read(configuration, { HTTPS_PROXY: "HTTP://Proxy.example.com:3128/" });
    assert.equal(settings.baseUrl.origin, "https://api.example.com");
  });

  for (const name of ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"]) {
    it(`reject ${name} without quoting it if it is not a URL, or not encoded`, () => {
      for (const address of [
        "user:s3cret@proxy.example.com:3128",
        "ftp://user:s3cret@proxy.example.com",
        "http://user:s3cret%@proxy.example.com:3128",
        "http://user:s3cret%FF@proxy.example.com:3128",
        "http://user:1#s3cret@proxy.example.com:3128",
      ]) {
        const message = errorMessage(valid, { [name]: address });
        assert.match(message, new RegExp(`variable ${name} is not a proxy URL.*% as %25$`, "i"));
      }
    });
  }

  describe("with a CA file", () => {
    const path = join(mkdtempSync(join(tmpdir(), "clouddb-")), "ca.pem");
    let first = "";
    let second = "";
    let key = "";
    before(async () => {
      ({ cert: first, key } = await loopbackCertificate());
      ({ cert: second } = await loopbackCertificate());
    });

    it("accept it with other text and blocks, CRLF, BOM and indentation", () => {
      const text = "Certificate:\n    Data: -----BEGIN\n# -----BEGIN CERTIFICATE----- follows\n";
      for (const pem of [
        `${text}${first}\n${key}\n${text}${second}`,
        `\uFEFF${first}\n${second}`.replaceAll("\n", "\r\n"),
        `${first}\n${second}`.replaceAll(/^/gm, "    "),
      ]) {
        writeFileSync(path, pem);
        const { extraCertificates, caFile } = read({ ...valid, "clouddb:caFile": path });
        const expected = [first, second].map((each) => new X509Certificate(each).toString());
        assert.deepEqual([extraCertificates, caFile], [expected.join(""), path]);
      }
    });

    it("reject it without a certificate, or with a damaged block", () => {
      const invalid = `-----BEGIN CERTIFICATE-----\nbm8gY2VydA==\n-----END CERTIFICATE-----`;
      for (const pem of [
        key,
        first.replaceAll("CERTIFICATE", "TRUSTED CERTIFICATE"),
        `${first.trim()}${second}`,
        `${first.slice(0, 200)}\n${second}`,
        `${first}\n${second.trim().slice(0, -1)}`,
        `${first}\n${second.replace(/\n[^\n]+\n-----END/, "\n-----END")}`,
        `${first}\n${invalid}`,
        `${first}\n${second.replace(/\n.{8}/, "$&!")}`,
      ]) {
        writeFileSync(path, pem);
        const message = errorMessage({ ...valid, "clouddb:caFile": path });
        assert.match(message, /contains no block -----BEGIN CERTIFICATE-----, or an incompl/, pem);
      }
    });
  });

  const remedies: [what: string, owner: SettingsOwner, expected: RegExp, unexpected: RegExp][] = [
    [
      "the stack that a command names",
      { kind: "stack", name: "dev" },
      /is not set\. Run one of these:\n +pulumi config set --stack dev clouddb:baseUrl .*\n +(?:export |\$env:)CLOUDDB_BASE_URL=/,
      /Provider/,
    ],
    [
      "the environment alone",
      { kind: "environment" },
      /^ {2}CLOUDDB_BASE_URL is not set\. Run:\n {6}(?:export |\$env:)CLOUDDB_BASE_URL="?https:\/\/\.\.\./m,
      /pulumi|clouddb:/,
    ],
  ];
  for (const [what, owner, expected, unexpected] of remedies) {
    it(`recommend only sources that are read, with ${what} as the owner`, () => {
      const message = errorMessage({}, {}, owner);
      assert.match(message, expected);
      assert.doesNotMatch(message, unexpected);
    });
  }
});

describe("a misspelled setting", () => {
  const { "clouddb:baseUrl": url, ...withoutUrl } = valid;

  for (const key of ["clouddb:base_url", "clouddb:baseUri", "CloudDB:baseUrl"]) {
    it(`is reported with the missing setting: ${key}`, () => {
      const message = errorMessage({ ...withoutUrl, [key]: url });
      assert.match(message, /clouddb:baseUrl \(or CLOUDDB_BASE_URL\) is not set/);
      assert.ok(message.includes(`${key} is not a setting; did you mean clouddb:baseUrl?`));
    });
  }

  for (const name of ["CLOUDDB_BASEURL", "clouddb_base_url", "CLOUDB_BASE_URL"]) {
    it(`is reported when it is in the environment: ${name}`, function () {
      // There, names match regardless of case.
      if (process.platform === "win32" && name === "clouddb_base_url") this.skip();
      const message = errorMessage(withoutUrl, { [name]: url });
      assert.ok(message.includes(`${name} is not a setting; did you mean CLOUDDB_BASE_URL?`));
    });
  }

  it("is a warning when all required settings are set", () => {
    const { misspelled } = check({ ...valid, "clouddb:requestTimeoutSecond": "10" });
    assert.deepEqual(misspelled, [
      "clouddb:requestTimeoutSecond is not a setting; did you mean clouddb:requestTimeoutSeconds?",
    ]);
  });

  it("is not reported for the user's own keys or for other namespaces", () => {
    const own = { "clouddb:owner": "team", "clouddb:clusters": "{}", "tested:baseURL": url };
    const environment = { CLOUDDB_PROJECT_ID: "p", CLOUDDB_BASE_URL: url, BASE_URL: url };
    assert.deepEqual(check({ ...valid, ...own }, environment).misspelled, []);
  });

  it("is reported with escaped control characters and without its value", () => {
    const message = errorMessage({ ...withoutUrl, "clouddb:base\nUrl": "s3cret" });
    assert.match(message, /clouddb:base\\nUrl is not a setting/);
  });
});
