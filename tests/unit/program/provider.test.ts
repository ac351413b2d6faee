import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { Provider, type ProviderArgs } from "../../../provider/src/program/provider";
import { settingKeys } from "../../../provider/src/settings/settings";
import { useMockedEngine, valueOf } from "./mockedEngine";

describe("an explicit provider", () => {
  const registered = useMockedEngine();
  const pair = { publicKey: "key", privateKey: "key-secret" };

  /** Returns the settings that the engine receives, with a prefix on secrets. */
  const settingsOf = async (args: ProviderArgs) => {
    const provider = new Provider("second", args);
    await valueOf(provider.urn);
    const settings: object = registered["second"] ?? {};
    return Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, marked(value)]));
  };
  const marked = (value: unknown) =>
    typeof value === "object" && value !== null && "value" in value
      ? `secret ${String(value.value)}`
      : value;

  it("registers every setting as a secret, and numbers as text", async () => {
    assert.deepEqual(await settingsOf({ ...pair, requestTimeoutSeconds: 5 }), {
      "clouddb:publicKey": "secret key",
      "clouddb:privateKey": "secret key-secret",
      "clouddb:requestTimeoutSeconds": "secret 5",
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
      "clouddb:apiPath": "secret /own",
      "clouddb:publicKey": "secret stack",
      "clouddb:privateKey": "secret stack-secret",
    });
  });

  it("inherits a setting whose output is undefined, but no credential", async () => {
    pulumi.runtime.setAllConfig({ "clouddb:apiPath": "/api/v2" });
    const none = pulumi.output<string | undefined>(undefined);
    assert.deepEqual(
      await settingsOf({ apiPath: none, baseUrl: pulumi.output("https://a.example") }),
      {
        "clouddb:baseUrl": "secret https://a.example",
        "clouddb:apiPath": "secret /api/v2",
      },
    );
    assert.deepEqual(await settingsOf({ tokenPath: none, apiPath: "/own" }), {
      "clouddb:apiPath": "secret /own",
    });
  });

  it("replaces both credentials of the stack if it has its own pair", async () => {
    pulumi.runtime.setAllConfig({
      "clouddb:publicKey": "stack",
      "clouddb:privateKey": "stack-secret",
    });
    assert.deepEqual(await settingsOf({ clientId: "svc", clientSecret: "svc-secret" }), {
      "clouddb:clientId": "secret svc",
      "clouddb:clientSecret": "secret svc-secret",
    });
  });

  it("refuses a misspelled address of the stack, which its process would not see, unless another one is set", async () => {
    pulumi.runtime.setAllConfig({ "clouddb:baseURL": "https://a.example" });
    const args = { ...pair, profile: "atlas" } as const;
    const message =
      /: clouddb\.Provider "second": .* clouddb:baseURL; did you mean clouddb:baseUrl\?$/;
    await assert.rejects(settingsOf(args), message);
    const settings = await settingsOf({ ...args, baseUrl: "https://b.example" });
    assert.equal(settings["clouddb:baseUrl"], "secret https://b.example");
  });

  it("inherits an empty address of the stack, which its process refuses", async () => {
    pulumi.runtime.setAllConfig({ "clouddb:baseUrl": "" });
    assert.equal((await settingsOf(pair))["clouddb:baseUrl"], "secret ");
  });

  const names = settingKeys.join(", ");
  const noValue = /caFile must be text or a number/;
  const mistakes: [args: object, message: RegExp][] = [
    [{ clientSecret: "svc-secret" }, /^clouddb\.Provider "second": clientId is not set/],
    [{ ...pair, publicKey: "" }, /publicKey is empty/],
    [{ ...pair, publicKey: "key:key-secret" }, /^clouddb.* publicKey contains a colon, so /],
    [{ ...pair, caFile: "https://key:-secret@h" }, /caFile contains a URL with a user name or/],
    [{ ...pair, privateKey: null }, /privateKey is empty/],
    ...[true, {}, ["a.pem"]].map((caFile): [object, RegExp] => [{ ...pair, caFile }, noValue]),
    [{ ...pair, baseURL: "x" }, /no setting baseURL; did you mean baseUrl\?$/],
    [{ ...pair, timeout: 5 }, new RegExp(`no setting timeout; expected one of ${names}$`)],
  ];
  for (const [args, message] of mistakes) {
    it(`refuses ${JSON.stringify(args)} without repeating a value`, () => {
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
