import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { Provider, type ProviderArgs, serviceOf } from "../../../provider/src/program/provider";

describe("an explicit provider", () => {
  let registered: Record<string, Record<string, unknown>>;

  before(async () => {
    const mocks: pulumi.runtime.Mocks = {
      newResource: ({ name, inputs }) => {
        registered[name] = inputs as Record<string, unknown>;
        return { id: name, state: {} };
      },
      call: () => ({}),
    };
    await pulumi.runtime.setMocks(mocks);
  });

  beforeEach(() => {
    registered = {};
    pulumi.runtime.setAllConfig({});
  });

  const pair = { publicKey: "key", privateKey: "key-secret" };

  /** What the engine is told, secrets marked. */
  const settingsOf = async (args: ProviderArgs) => {
    const provider = new Provider("second", args);
    await new Promise((resolve) => provider.urn.apply(resolve));
    const settings = registered["second"] ?? {};
    return Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, shown(value)]));
  };
  const shown = (value: unknown) =>
    typeof value === "object" && value !== null && "value" in value
      ? `secret ${String(value.value)}`
      : value;

  it("has its own settings and tells its name, its secrets as secrets, numbers as text", async () => {
    assert.deepEqual(await settingsOf({ ...pair, requestTimeoutSeconds: 5 }), {
      "clouddb:publicKey": "key",
      "clouddb:privateKey": "secret key-secret",
      "clouddb:requestTimeoutSeconds": "5",
    });
  });

  it("takes what is not given from the stack's configuration, as secrets", async () => {
    pulumi.runtime.setAllConfig({
      "clouddb:baseUrl": "https://api.example.com",
      "clouddb:apiPath": "/api/v2",
      "clouddb:publicKey": "stack",
      "clouddb:privateKey": "stack-secret",
    });
    assert.deepEqual(await settingsOf({ apiPath: "/own" }), {
      "clouddb:baseUrl": "secret https://api.example.com",
      "clouddb:apiPath": "/own",
      "clouddb:publicKey": "secret stack",
      "clouddb:privateKey": "secret stack-secret",
    });
  });

  it("replaces the stack's credentials as a whole", async () => {
    pulumi.runtime.setAllConfig({
      "clouddb:publicKey": "stack",
      "clouddb:privateKey": "stack-secret",
    });
    assert.deepEqual(await settingsOf({ clientId: "svc", clientSecret: "svc-secret" }), {
      "clouddb:clientId": "svc",
      "clouddb:clientSecret": "secret svc-secret",
    });
  });

  const mistakes: { what: string; args: object; says: RegExp }[] = [
    {
      what: "both pairs of credentials",
      args: { ...pair, clientId: "svc", clientSecret: "svc-secret" },
      says: /^clouddb\.Provider "second": both an API key .* and a service account/,
    },
    { what: "no credentials, nor the stack", args: {}, says: /no credentials are given/ },
    { what: "half a pair", args: { clientSecret: "svc-secret" }, says: /clientId is not given/ },
    { what: "an empty key", args: { ...pair, publicKey: "" }, says: /publicKey is empty/ },
    {
      what: "a misspelled setting",
      args: { ...pair, baseURL: "x" },
      says: /no setting baseURL; did you mean baseUrl\?$/,
    },
    {
      what: "a setting that is like no other",
      args: { ...pair, timeout: 5 },
      says: /no setting timeout; expected one of baseUrl, publicKey, .*requestTimeoutSeconds$/,
    },
  ];
  for (const { what, args, says } of mistakes) {
    it(`is refused with ${what}, and the message repeats no value`, () => {
      const create = () => new Provider("second", args);
      assert.throws(create, (error: Error) => {
        assert.ok(pulumi.RunError.isInstance(error));
        assert.match(error.message, says);
        assert.doesNotMatch(error.message, /-secret/);
        return true;
      });
    });
  }

  it("compares base URLs to determine whether two providers use the same service", () => {
    const to = (baseUrl?: string) =>
      serviceOf(new Provider("one", { ...pair, ...(baseUrl === undefined ? {} : { baseUrl }) }));
    pulumi.runtime.setAllConfig({ "clouddb:baseUrl": "https://api.example.com/" });
    assert.equal(to(), serviceOf(undefined));
    assert.equal(to("https://api.example.com"), serviceOf(undefined));
    assert.notEqual(to("https://api.example.org"), serviceOf(undefined));
  });
});
