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

const keysAsJson = `{"public_key":"abcdefgh","private_key":"${uuid}"}`;
const joinedKeys = `abcdefgh:${uuid}`;
const apiKey = { publicKey: "abcdefgh", privateKey: uuid };
const account = { clientId: "mdb_sa_id_0123456789abcdef01234567", clientSecret };

const publicKeyIsJson =
  "CLOUDDB_PUBLIC_KEY is JSON. Pass its fields as clouddb:publicKey and clouddb:privateKey";
const clientIdIsJson =
  "CLOUDDB_CLIENT_ID is JSON. Pass its fields as clouddb:clientId and clouddb:clientSecret";
const hasColon = (key: string, id: string, secret: string) =>
  `${key} contains a colon, which separates it from the secret in the request. Pass what is before the colon as clouddb:${id}, and what is after it as clouddb:${secret}`;
const publicKeyHasColon = hasColon("CLOUDDB_PUBLIC_KEY", "publicKey", "privateKey");
const clientIdHasColon = hasColon("CLOUDDB_CLIENT_ID", "clientId", "clientSecret");
const isQuoted = (key: string) =>
  `${key} begins and ends with a quote, which is part of the value. Remove both quotes`;
const keysAreSwapped =
  "CLOUDDB_PUBLIC_KEY and CLOUDDB_PRIVATE_KEY are swapped. A public key has eight letters, and a private key is a UUID";
const accountIsSwapped =
  "CLOUDDB_CLIENT_ID and CLOUDDB_CLIENT_SECRET are swapped. A client ID begins with mdb_sa_id_, and a client secret with mdb_sa_sk_";
const isToken = "contains an access token (eyJ….….…). Pass it as clouddb:accessToken";
const isClientSecret =
  "contains the secret of a service account (mdb_sa_sk_…). Pass it as clouddb:clientSecret";

describe("a credential in the wrong setting", () => {
  const rows: [what: string, settings: Values, problem: string][] = [
    ["JSON as both keys", { publicKey: keysAsJson, privateKey: keysAsJson }, publicKeyIsJson],
    ["JSON as the public key", { ...apiKey, publicKey: keysAsJson }, publicKeyIsJson],
    [
      "JSON of several lines as the public key",
      { ...apiKey, publicKey: `${JSON.stringify(JSON.parse(keysAsJson), null, 2)}\n` },
      publicKeyIsJson,
    ],
    ["a list as the client ID", { ...account, clientId: `["${clientSecret}"]` }, clientIdIsJson],
    [
      "an account as the client ID",
      { ...account, clientId: JSON.stringify(account) },
      clientIdIsJson,
    ],
    [
      "joined values as both keys",
      { publicKey: joinedKeys, privateKey: joinedKeys },
      publicKeyHasColon,
    ],
    ["joined values as the public key", { ...apiKey, publicKey: joinedKeys }, publicKeyHasColon],
    [
      "truncated JSON as the public key",
      { ...apiKey, publicKey: keysAsJson.slice(0, -8) },
      publicKeyHasColon,
    ],
    [
      "joined values as the client ID",
      { ...account, clientId: `${account.clientId}:${clientSecret}` },
      clientIdHasColon,
    ],
    [
      "a public key in quotes",
      { ...apiKey, publicKey: "'abcdefgh'" },
      isQuoted("CLOUDDB_PUBLIC_KEY"),
    ],
    [
      "a client ID in quotes",
      { ...account, clientId: `"${account.clientId}"` },
      isQuoted("CLOUDDB_CLIENT_ID"),
    ],
    ["JSON in quotes", { ...apiKey, publicKey: `'${keysAsJson}'` }, isQuoted("CLOUDDB_PUBLIC_KEY")],
    [
      "swapped keys",
      { profile: "v2", publicKey: uuid.toUpperCase(), privateKey: "abcdefgh" },
      keysAreSwapped,
    ],
    [
      "a swapped service account",
      { clientId: clientSecret, clientSecret: "mdb_sa_id_0123" },
      accountIsSwapped,
    ],
    [
      "the private key as both keys",
      { publicKey: uuid, privateKey: uuid },
      "CLOUDDB_PUBLIC_KEY is the value of clouddb:privateKey, which is a secret. Remove it from this setting",
    ],
    [
      "a short secret as both",
      { clientId: "s3c", clientSecret: "s3c" },
      "CLOUDDB_CLIENT_ID is the value of clouddb:clientSecret, which is a secret. Remove it from this setting",
    ],
    [
      "a secret that a line break follows, in a host",
      { ...apiKey, privateKey: "Pr1vate-Key\n", baseUrl: "https://pr1vate-key.example.com" },
      "CLOUDDB_BASE_URL contains the value of clouddb:privateKey, which is a secret. Remove it from this setting",
    ],
    [
      "a secret in the path of a file",
      { ...apiKey, caFile: `/etc/${uuid}/ca.pem` },
      "CLOUDDB_CA_FILE contains the value of clouddb:privateKey, which is a secret. Remove it from this setting",
    ],
    [
      "a client secret as the public key",
      { ...apiKey, publicKey: clientSecret },
      `CLOUDDB_PUBLIC_KEY ${isClientSecret}`,
    ],
    [
      "a client secret as a parameter",
      { ...apiKey, pageParameter: clientSecret },
      `CLOUDDB_PAGE_PARAMETER ${isClientSecret}`,
    ],
    ["a token as the client ID", { ...account, clientId: jwt }, `CLOUDDB_CLIENT_ID ${isToken}`],
    ["a token in a path", { ...apiKey, caFile: `./${jwt}` }, `CLOUDDB_CA_FILE ${isToken}`],
  ];
  for (const [what, settings, problem] of rows) {
    it(`is named and not printed: ${what}`, () => {
      const problems = problemsOf(settings);
      assert.ok(problems.includes(problem), problems.join("\n"));
      const output = JSON.stringify([problems, printed(settings)]);
      for (const secret of [uuid, uuid.toUpperCase(), clientSecret, jwt, 's3c"', "r1vate"])
        assert.ok(!output.includes(secret), output);
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

  it("is not printed as a public key that is a UUID, although it may be one", () => {
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
    ["publicKey", "{orders}"],
    ["publicKey", "o'brien"],
    ["publicKey", '"'],
    ["publicKey", "mdb_sa_id_0123456789abcdef01234567"],
    ["clientId", "mdb_sa_id_0123456789abcdef01234567"],
    ["clientId", uuid],
    ["clientId", "0oa1gjh63g214q0Hq0g4"],
    ["clientId", "407408718192-abc0def.apps.googleusercontent.com"],
    ["clientId", "6f1spb636ptn074on0pdjgnk8l"],
    ["clientId", "ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56"],
    ["clientId", "service-account-orders"],
    ["clientId", "acme/orders#1"],
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
      const own = { publicKey: "abcdefgh", privateKey: "k3y-of-the-service" };
      const settings = { ...(key === "clientId" ? { clientSecret } : own), [key]: value };
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

describe("a secret that may be a mistake", () => {
  const long = "k3y-of-the-service";
  const rows: [key: SettingKey, value: string, doubts: string[]][] = [
    ["privateKey", uuid, []],
    ["privateKey", '{"orders}', []],
    ["clientSecret", clientSecret, []],
    ["accessToken", jwt, []],
    [
      "privateKey",
      keysAsJson,
      ["is JSON. Unless the secret itself is JSON, pass only the field with the secret"],
    ],
    [
      "clientSecret",
      `"${long}"`,
      ["begins and ends with a quote. Unless they are part of the secret, remove both"],
    ],
    [
      "accessToken",
      `svc:${long}`,
      ["contains a colon. If it joins two values, pass only the secret"],
    ],
    [
      "privateKey",
      "wrong",
      [
        "has fewer than 8 characters, so messages leave out every text of the service that contains it. Use a longer secret",
      ],
    ],
    [
      "clientSecret",
      "a:b",
      [
        "contains a colon. If it joins two values, pass only the secret",
        "has fewer than 4 characters, so messages do not leave it out. Use a longer secret",
      ],
    ],
  ];
  const ids = { privateKey: { publicKey: "demo" }, clientSecret: { clientId: "svc" } };
  for (const [key, value, expected] of rows) {
    it(`causes ${expected.length} warnings: ${key} ${value}`, () => {
      const id = key === "privateKey" || key === "clientSecret" ? ids[key] : {};
      const { doubts } = readSettings(environmentOnly, variables({ ...id, [key]: value }));
      const name = environmentVariable(key);
      assert.deepEqual(
        doubts,
        expected.map((doubt) => `${name} ${doubt}`),
      );
    });
  }
});
