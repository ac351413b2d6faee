import assert from "node:assert/strict";
import fc from "fast-check";
import { checkSettings, settingsSource } from "../../plugin/src/settings";
import { fromStruct, toStruct } from "../../plugin/src/properties";
import { ProviderError } from "../../provider/src/messages/errors";
import { readSettings } from "../../provider/src/settings/readSettings";
import {
  type SettingKey,
  defaultSettings,
  environmentVariable,
  processSettings,
  settingKeys,
} from "../../provider/src/settings/settings";
import { hostileJson, hostileName, hostileText, mutated } from "./hostile";
import { assertSafeMessage, isOneOf, outcomeOf, plantedSecret, property } from "./properties";

const valid: Readonly<Partial<Record<SettingKey, string>>> = {
  ...Object.fromEntries(
    Object.entries(defaultSettings).map(([key, value]) => [key, String(value)]),
  ),
  baseUrl: "https://api.example.com",
  publicKey: "demo",
  privateKey: `${plantedSecret}-key`,
  clientId: "svc_demo",
  clientSecret: `${plantedSecret}-secret`,
  profile: "v2",
  clusterPaths: "clusters,flexClusters?",
  caFile: "",
};

/** A value with a secret in it, because a credential may be misplaced under any name. */
const hostileSecret = fc
  .tuple(hostileText, hostileText)
  .map(([before, after]) => `${before}${plantedSecret}${after}`);

/** Almost valid values: other schemes, white space around a value, numbers in other notations. */
const nearlyValid = fc.constantFrom(
  ...["http://api.example.com", "https://u:p@h.example", "https://h.example/x", "https://[::1"],
  " ",
  ...["demo\n", "a/b", "/a/", "1e3", "0x10", "-1", "0", "Infinity", "601", "0.0001", "1e-400"],
);

const settingValue = (key: SettingKey) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(valid[key] ?? "") },
    { weight: 1, arbitrary: key === "caFile" ? hostileText : hostileSecret },
    { weight: 1, arbitrary: nearlyValid },
  );

type Values = Readonly<Record<string, string>>;

/** Each setting or none. The path of a file is the only value that a message may contain. */
const settings: fc.Arbitrary<Values> = fc
  .tuple(...settingKeys.map((key) => fc.tuple(fc.boolean(), settingValue(key))))
  .map((values) => {
    const required: readonly string[] = ["baseUrl", "publicKey", "privateKey"];
    const entries = settingKeys.flatMap((key, index) => {
      const [isChosen, value] = values[index] ?? [false, ""];
      return isChosen || required.includes(key) ? [[key, value] as const] : [];
    });
    return Object.fromEntries(entries);
  });

function sourceOf(values: Values) {
  const rawConfig = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [`clouddb:${key}`, value]),
  );
  return processSettings({ rawConfig, get: (key: string) => rawConfig[key] } as {
    get(key: string): string | undefined;
  });
}

function assertUsable({ client }: ReturnType<typeof readSettings>): void {
  assert.equal(client.baseUrl.protocol, "https:");
  assert.equal(client.baseUrl.href, `${client.baseUrl.origin}/`);
  assert.match(client.apiPath, /^\/[\w./-]*\w$/);
  assert.match(client.fieldPrefix, /^\w+$/);
  assert.match(client.mediaType, /^[!-~]+$/);
  assert.ok(Number.isInteger(client.requestsPerMinute) && client.requestsPerMinute >= 1);
  assert.ok(client.requestTimeoutSeconds > 0 && client.requestTimeoutSeconds <= 600);
  const credentials = Object.values(client.credentials);
  for (const value of credentials) assert.match(String(value), /^\S(?:.*\S)?$/);
}

describe("invalid or malicious settings", () => {
  property("are usable or cause a ProviderError without a value", {
    inputs: fc.tuple(settings, settings, fc.dictionary(hostileName, hostileSecret)),
    check: async ([configured, variables, others]) => {
      const fromEnvironment = Object.entries(variables).flatMap(([key, value]) =>
        settingKeys
          .filter((each) => each === key)
          .map((each) => [environmentVariable(each), value] as const),
      );
      const added: Values = Object.fromEntries(fromEnvironment);
      const environment: NodeJS.ProcessEnv = { ...others, ...added };
      const read = () => readSettings(sourceOf({ ...others, ...configured }), environment);
      const outcome = await outcomeOf(read, isOneOf(ProviderError));
      if (outcome.kind === "error") return;
      assertUsable(outcome.value);
      for (const warning of outcome.value.warnings) assertSafeMessage(warning);
    },
  });

  property("of the plugin are usable or cause failures without a value", {
    inputs: mutated(settings, fc.oneof(hostileJson, hostileSecret)),
    check: async (input) => {
      if (typeof input !== "object" || input === null || Array.isArray(input)) return;
      const { caFile, ...others }: Record<string, unknown> = { ...input };
      // A message contains the path of the file, and no other value.
      const bag = { ...others, ...(caFile === valid.caFile ? { caFile } : {}) };
      const failures = checkSettings(bag, {});
      for (const { reason, property: name } of failures) {
        assertSafeMessage(reason);
        assert.equal(name, "");
      }
      if (failures.length > 0) return;
      const read = () => readSettings(settingsSource(bag), {});
      const outcome = await outcomeOf(read, isOneOf(ProviderError));
      if (outcome.kind === "value") assertUsable(outcome.value);
    },
  });

  property("keep their names and values in the messages of the engine", {
    slowness: 5,
    inputs: fc.dictionary(hostileName, hostileJson, { noNullPrototype: true }),
    check: (properties) => {
      // UTF-8 has no lone surrogates.
      const text = Buffer.from(JSON.stringify(properties)).toString();
      const wellFormed = JSON.parse(text) as Record<string, unknown>;
      const decoded = fromStruct(toStruct(wellFormed));
      assert.equal(Object.getPrototypeOf(decoded), Object.prototype);
      // The messages cannot contain this name.
      const names = Object.keys(wellFormed).filter((name) => name !== "__proto__");
      assert.deepEqual(Object.keys(decoded).sort(), names.sort());
    },
  });
});
