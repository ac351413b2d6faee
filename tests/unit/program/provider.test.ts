import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { Provider, type ProviderArgs } from "../../../provider/src/program/provider";
import { settingKeys } from "../../../provider/src/settings/settings";
import { useMockedEngine } from "./mockedEngine";

describe("an explicit provider", () => {
  const registered = useMockedEngine();
  const pair = { publicKey: "key", privateKey: "key-secret" };

  /** Returns the settings that the engine receives, with a prefix on secrets. */
  const settingsOf = async (args: ProviderArgs) => {
    const provider = new Provider("second", args);
    await new Promise((resolve) => provider.urn.apply(resolve));
    const settings: object = registered["second"] ?? {};
    return Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, marked(value)]));
  };
  const marked = (value: unknown) =>
    typeof value === "object" && value !== null && "value" in value
      ? `secret ${String(value.value)}`
      : value;

  it("registers its settings: secrets as secrets, numbers as text", async () => {
    assert.deepEqual(await settingsOf({ ...pair, requestTimeoutSeconds: 5 }), {
      "clouddb:publicKey": "key",
      "clouddb:privateKey": "secret key-secret",
      "clouddb:requestTimeoutSeconds": "5",
    });
  });

  it("inherits missing settings from the stack's configuration, as secrets", async () => {
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

  it("replaces both credentials of the stack if it has a pair of its own", async () => {
    pulumi.runtime.setAllConfig({
      "clouddb:publicKey": "stack",
      "clouddb:privateKey": "stack-secret",
    });
    assert.deepEqual(await settingsOf({ clientId: "svc", clientSecret: "svc-secret" }), {
      "clouddb:clientId": "svc",
      "clouddb:clientSecret": "secret svc-secret",
    });
  });

  const mistakes: { what: string; args: object; message: RegExp }[] = [
    {
      what: "both pairs of credentials",
      args: { ...pair, clientId: "svc", clientSecret: "svc-secret" },
      message: /^clouddb\.Provider "second": several kinds of credentials are set. Set only one:/,
    },
    {
      what: "missing credentials if the stack has none either",
      args: {},
      message: /no credentials are set/,
    },
    {
      what: "an incomplete pair of credentials",
      args: { clientSecret: "svc-secret" },
      message: /clientId is not set/,
    },
    { what: "an empty key", args: { ...pair, publicKey: "" }, message: /publicKey is empty/ },
    {
      what: "a setting that is null",
      args: { ...pair, privateKey: null },
      message: /privateKey is empty/,
    },
    ...[true, {}, ["a.pem"]].map((caFile) => ({
      what: `the value ${JSON.stringify(caFile)}`,
      args: { ...pair, caFile },
      message: /caFile must be text or a number/,
    })),
    {
      what: "a misspelled setting",
      args: { ...pair, baseURL: "x" },
      message: /no setting baseURL; did you mean baseUrl\?$/,
    },
    {
      what: "an unknown setting",
      args: { ...pair, timeout: 5 },
      message: new RegExp(`no setting timeout; expected one of ${settingKeys.join(", ")}$`),
    },
  ];
  for (const { what, args, message } of mistakes) {
    it(`refuses ${what} without repeating a value`, () => {
      const create = () => new Provider("second", args);
      assert.throws(create, (error: Error) => {
        assert.ok(pulumi.RunError.isInstance(error));
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /-secret/);
        return true;
      });
    });
  }
});
