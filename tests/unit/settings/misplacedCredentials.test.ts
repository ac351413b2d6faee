import assert from "node:assert/strict";
import {
  printedValue,
  readSettings,
  reportedSettings,
} from "../../../provider/src/settings/readSettings";
import {
  type SettingKey,
  environmentOnly,
  environmentVariable,
  isSettingKey,
} from "../../../provider/src/settings/settings";

type Values = Readonly<Record<string, string>>;

const uuid = "11111111-2222-4333-8444-555555555555";
const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzdmMifQ.c2lnbmF0dXJl";
const clientSecret = "mdb_sa_sk_Zm9vYmFyLWJheg";

/** Returns environment variables with a URL and these settings. */
function variables(settings: Values): Values {
  const all = { baseUrl: "https://api.example.com", ...settings };
  return Object.fromEntries(
    Object.entries(all).map(([key, value]) => [
      isSettingKey(key) ? environmentVariable(key) : key,
      value,
    ]),
  );
}

/** Returns the lines of the error, without its beginning; empty if the settings are valid. */
function problemsOf(settings: Values): string[] {
  try {
    readSettings(environmentOnly, variables(settings));
    return [];
  } catch (error) {
    assert.ok(error instanceof Error);
    const [first = "", ...others] = error.message.split("\n  ");
    return others.length > 0 ? others : [first.replace("a setting is missing or invalid: ", "")];
  }
}

/** Returns what doctor prints of each setting, by its name. */
function printed(settings: Values): Record<string, string> {
  const reported = reportedSettings(environmentOnly, variables(settings));
  return Object.fromEntries(reported.map((setting) => [setting.key, printedValue(setting)]));
}

const apiKey = { publicKey: "abcdefgh", privateKey: uuid };
const account = { clientId: "mdb_sa_id_0123456789abcdef01234567", clientSecret };
/** A secret whose base64 has `+` and `/`, and which percent-encoding changes. */
const encoded = { clientId: "svc", clientSecret: "ä+b/c 7311>>>???" };

const pair = `${encoded.clientId}:${encoded.clientSecret}`;
const base64 = Buffer.from(pair).toString("base64");

const contains = (what: string, id: string, secret: string) =>
  `contains ${what}, so it may be more than the ${id}. Set it to the ${id} alone, and clouddb:${secret} to the secret`;
const secretOf = (key: string) =>
  `contains the value of clouddb:${key}, which is a secret, plain or encoded. Remove it`;
const isToken = "contains an access token (eyJ….….…). Pass it as clouddb:accessToken";
const isClientSecret =
  "contains the secret of a service account (mdb_sa_sk_…). Pass it as clouddb:clientSecret";
const isUrl = "contains a URL with a user name or password. Remove them";
const isPrivateKey =
  "is a UUID, as the private keys of Atlas are. Pass it as clouddb:privateKey, if it is one";

describe("a credential in the wrong setting", () => {
  const rows: [what: string, key: SettingKey, value: string, others: Values, problem: string][] = [
    [
      "JSON as both keys",
      "publicKey",
      `{"public_key":"abcdefgh","private_key":"${uuid}"}`,
      { privateKey: `{"public_key":"abcdefgh","private_key":"${uuid}"}` },
      contains("a brace and a quote and a colon", "public key", "privateKey"),
    ],
    [
      "a list of both keys",
      "publicKey",
      `["abcdefgh", "${uuid}"]`,
      apiKey,
      contains("a quote", "public key", "privateKey"),
    ],
    [
      "a client ID in quotes",
      "clientId",
      `“${account.clientId}”`,
      account,
      contains("a quote", "client ID", "clientSecret"),
    ],
    [
      "both keys joined, as both keys",
      "publicKey",
      `abcdefgh:${uuid}`,
      { privateKey: `abcdefgh:${uuid}` },
      contains("a colon", "public key", "privateKey"),
    ],
    [
      "swapped keys of Atlas",
      "publicKey",
      uuid.toUpperCase(),
      { profile: "atlas", privateKey: "abcdefgh" },
      isPrivateKey,
    ],
    [
      "a swapped service account",
      "clientId",
      clientSecret,
      { clientSecret: account.clientId },
      isClientSecret,
    ],
    ["the private key as both keys", "publicKey", uuid, apiKey, secretOf("privateKey")],
    [
      "a secret that a line break follows, in a host",
      "baseUrl",
      "https://pr1vate-key.example.com",
      { ...apiKey, privateKey: "Pr1vate-Key\n" },
      secretOf("privateKey"),
    ],
    [
      "a secret of eight characters in the path of a file",
      "caFile",
      "/etc/k3y-7311/ca.pem",
      { ...apiKey, privateKey: "k3y-7311" },
      secretOf("privateKey"),
    ],
    ["an account in base64", "clientId", base64, encoded, secretOf("clientSecret")],
    ["a header with an account", "clientId", `Basic ${base64}`, encoded, secretOf("clientSecret")],
    [
      "an account in base64url",
      "clientId",
      Buffer.from(pair).toString("base64url"),
      encoded,
      secretOf("clientSecret"),
    ],
    [
      "a percent-encoded account in base64",
      "clientId",
      Buffer.from(pair.replace(/[^:]+/g, encodeURIComponent)).toString("base64"),
      encoded,
      secretOf("clientSecret"),
    ],
    [
      "an account in base64 that is percent-encoded",
      "clientId",
      encodeURIComponent(base64),
      encoded,
      secretOf("clientSecret"),
    ],
    ...[1, 2, 3].map((length): (typeof rows)[number] => [
      `an account in base64 below a folder of ${length} letters`,
      "caFile",
      `/${"a".repeat(length)}/${base64}`,
      encoded,
      secretOf("clientSecret"),
    ]),
    [
      "a form with an account",
      "clientId",
      new URLSearchParams({ client_secret: encoded.clientSecret }).toString(),
      encoded,
      secretOf("clientSecret"),
    ],
    [
      "a client secret in base64 as a parameter",
      "pageParameter",
      Buffer.from(clientSecret).toString("base64url"),
      apiKey,
      isClientSecret,
    ],
    ["a token as the client ID", "clientId", jwt, account, isToken],
    ["a token in a path", "caFile", `./${jwt}`, apiKey, isToken],
    ["a URL with a password", "caFile", "https://user:p/w@h.example/ca.pem", apiKey, isUrl],
    ["an encoded URL with a password", "caFile", "https%3A%2F%2Fu%3Ap%2Fw%40h", apiKey, isUrl],
    ["a URL with a token", "baseUrl", "https://p/w@h.example", apiKey, isUrl],
  ];
  for (const [what, key, value, others, problem] of rows) {
    it(`is named and not printed: ${what}`, () => {
      const settings = { ...others, [key]: value };
      const problems = problemsOf(settings);
      const expected = `${environmentVariable(key)} ${problem}`;
      assert.ok(problems.includes(expected), problems.join("\n"));
      assert.equal(printed(settings)[key], "invalid");
      for (const secret of [value, uuid, clientSecret, jwt, "r1vate", "7311", "p/w"])
        assert.ok(!problems.join("\n").includes(secret), problems.join("\n"));
    });
  }

  it("is found even if the secret belongs to credentials that others replace", () => {
    const source = {
      owner: { kind: "stack" as const },
      get: (key: string) => ({ ...account, caFile: `/etc/${uuid}` })[key],
      keys: () => [],
    };
    const environment = variables({ privateKey: uuid });
    assert.throws(
      () => readSettings(source, environment),
      /caFile .* contains the value of clouddb/,
    );
  });

  it("is not printed as a public key that is a UUID, which is valid without the profile of Atlas", () => {
    const settings = { publicKey: uuid, privateKey: "abcdefgh" };
    assert.deepEqual(problemsOf(settings), []);
    assert.equal(printed(settings)["publicKey"], "set");
  });
});

describe("an ID or a path of another service", () => {
  const legal: [key: string, value: string][] = [
    ["publicKey", "abcdefgh"],
    ["publicKey", "ops+ci@example.com"],
    ["publicKey", "AKIAIOSFODNN7EXAMPLE"],
    ["publicKey", `svc-${uuid}`],
    ["publicKey", "[orders] team"],
    ["publicKey", "mdb_sa_id_0123456789abcdef01234567"],
    ["clientId", "mdb_sa_id_0123456789abcdef01234567"],
    ["clientId", uuid],
    ["clientId", "0oa1gjh63g214q0Hq0g4"],
    ["clientId", "407408718192-abc0def.apps.googleusercontent.com"],
    ["clientId", "6f1spb636ptn074on0pdjgnk8l"],
    ["clientId", "ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56"],
    ["clientId", "service-account-orders"],
    ["clientId", "acme/orders#1"],
    ["apiPath", "/api/service/v1.0"],
    ["apiPath", `/t/${uuid}/api`],
    ["tokenPath", `/${uuid}/oauth2/v2.0/token`],
    ["tokenPath", "/realms/acme/protocol/openid-connect/token"],
    ["clusterPaths", "clusters,flexClusters"],
    ["pageParameter", "page[number]"],
    ["mediaType", "application/vnd.atlas.2025-03-12+json"],
    ["baseUrl", `https://${uuid}.databases.example.com`],
  ];
  for (const [key, value] of legal) {
    it(`is legal and printed: ${key} ${value}`, () => {
      // A secret of seven characters is also a part of other values.
      const own = { publicKey: "abcdefgh", privateKey: "service" };
      const settings = {
        ...(key === "clientId" ? { clientSecret, profile: "atlas" } : own),
        [key]: value,
      };
      assert.deepEqual(problemsOf(settings), []);
      assert.equal(printed(settings)[key], value);
    });
  }
});

describe("the path of a file", () => {
  it("stays in its error, even if it contains a UUID", () => {
    const caFile = `/does/not/exist/${uuid}/ca.pem`;
    const settings = { publicKey: "abcdefgh", privateKey: "k3y-of-the-service", caFile };
    assert.deepEqual(problemsOf(settings), [`CLOUDDB_CA_FILE: ${caFile} cannot be read (ENOENT)`]);
    assert.equal(printed(settings)["caFile"], caFile);
  });
});

describe("a secret in quotes", () => {
  it("causes a warning, because a random secret can have them", () => {
    const doubtsAbout = (privateKey: string) =>
      readSettings(environmentOnly, variables({ ...apiKey, privateKey })).doubts;
    const doubt =
      "CLOUDDB_PRIVATE_KEY begins and ends with a quote. Unless they are part of the secret, remove both";
    for (const quoted of [`"${uuid}"`, `'${uuid}'`]) assert.deepEqual(doubtsAbout(quoted), [doubt]);
    for (const valid of [uuid, `"${uuid}'`, '{"orders"}', '"a" or b', 'a or "b"'])
      assert.deepEqual(doubtsAbout(valid), []);
  });
});
