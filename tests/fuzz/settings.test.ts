import assert from "node:assert/strict";
import fc from "fast-check";
import { ProviderError } from "../../provider/src/messages/errors";
import {
  printedValue,
  readSettings,
  reportedSettings,
} from "../../provider/src/settings/readSettings";
import {
  environmentOnly,
  environmentVariable,
  isSecretKey,
  secretKeys,
  settingKeys,
} from "../../provider/src/settings/settings";
import { unusualText } from "./inputs";
import { outcomeOf, property } from "./properties";

/** Secrets as services issue them, short ones, and any other text. */
const secretText = fc
  .oneof(
    fc.uuid(),
    fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/),
    fc.base64String({ minLength: 4, maxLength: 100 }),
    fc.stringMatching(/^mdb_sa_sk_[\w-]{1,40}$/),
    fc.stringMatching(/^eyJ[\w-]{1,20}\.[\w-]{1,20}\.[\w-]{1,20}$/),
    fc.uuid().map((key) => JSON.stringify({ public_key: "abcdefgh", private_key: key })),
    unusualText,
  )
  .filter((text) => text.trim() !== "");

const misplaced = fc.record({
  secret: secretText,
  secretKey: fc.constantFrom(...secretKeys),
  place: fc.constantFrom(...settingKeys.filter((key) => !isSecretKey(key))),
  /** What stands around the secret in the other setting. */
  around: fc.constantFrom(["", ""], ["", "\n"], ["https://", ""], ["/", "/ca.pem"], ["a-", ".b"]),
  /** What follows the secret in its own setting. */
  end: fc.constantFrom("", "\n"),
  profile: fc.constantFrom("default", "v2"),
});

const ids = { privateKey: "publicKey", clientSecret: "clientId", accessToken: undefined } as const;

describe("a secret in another setting", () => {
  property("is neither printed nor used, unless it is a short part of the value", {
    inputs: misplaced,
    check: ({ secret, secretKey, place, around: [before, after], end, profile }) => {
      const id = ids[secretKey];
      const value = `${before}${secret}${after}`;
      const environment = {
        CLOUDDB_BASE_URL: "https://api.example.com",
        CLOUDDB_PROFILE: profile,
        ...(id === undefined ? {} : { [environmentVariable(id)]: "id" }),
        [environmentVariable(secretKey)]: `${secret}${end}`,
        [environmentVariable(place)]: value,
      };
      const settings = reportedSettings(environmentOnly, environment);
      const read = outcomeOf(() => readSettings(environmentOnly, environment), ProviderError);
      const isWhole = value.trim() === secret.trim();
      const isLong = secret.trim().length >= 8;
      const printed = settings.find(({ key }) => key === place);
      assert.ok(printed !== undefined);
      if (isWhole) assert.notEqual(printedValue(printed).trim(), secret.trim());
      if (isWhole || isLong) assert.equal(read.kind, "error");
      if (!isLong) return;
      const texts = [
        ...settings.map(printedValue),
        ...(read.kind === "error" ? [read.message] : [...read.value.doubts]),
      ];
      for (const text of texts)
        assert.ok(!text.toLowerCase().includes(secret.trim().toLowerCase()), text);
    },
  });
});
