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

/** Secrets as services issue them, and any other text. */
const secretText = fc
  .oneof(
    fc.uuid(),
    fc.stringMatching(/^[a-zA-Z0-9_-]{8,12}$/),
    fc.base64String({ minLength: 8, maxLength: 100 }),
    fc.stringMatching(/^mdb_sa_sk_[\w-]{1,40}$/),
    fc.stringMatching(/^eyJ[\w-]{1,20}\.[\w-]{1,20}\.[\w-]{1,20}$/),
    fc.uuid().map((key) => JSON.stringify({ public_key: "abcdefgh", private_key: key })),
    unusualText,
  )
  .filter((text) => text.trim().length >= 8 && Buffer.from(text).toString() === text);

/** What a secret can be encoded as. */
const encodings: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  encodeURIComponent,
  (secret) => new URLSearchParams({ client_id: "svc", client_secret: secret }).toString(),
  (secret) => Buffer.from(`svc:${secret}`).toString("base64"),
  (secret) => Buffer.from(secret).toString("base64url"),
  (secret) => encodeURIComponent(Buffer.from(secret).toString("base64")),
  (secret) => Buffer.from(`svc:${encodeURIComponent(secret)}`).toString("base64"),
];

const misplaced = fc.record({
  secret: secretText,
  secretKey: fc.constantFrom(...secretKeys),
  place: fc.constantFrom(...settingKeys.filter((key) => !isSecretKey(key))),
  encode: fc.constantFrom(...encodings),
  /** What stands around the secret in the other setting. */
  around: fc.constantFrom(
    ["", ""],
    ["", "\n"],
    ["https://", ""],
    ["/", "/ca.pem"],
    ["a-", ".b"],
    ["Basic ", ""],
  ),
  /** What follows the secret in its own setting. */
  end: fc.constantFrom("", "\n"),
  profile: fc.constantFrom("default", "atlas"),
});

const ids = { privateKey: "publicKey", clientSecret: "clientId", accessToken: undefined } as const;

describe("a secret in another setting", () => {
  property("is neither printed nor used, plain or encoded", {
    inputs: misplaced,
    check: ({ secret, secretKey, place, encode, around: [before, after], end, profile }) => {
      const id = ids[secretKey];
      const encoded = encode(secret.trim());
      const environment = {
        CLOUDDB_BASE_URL: "https://api.example.com",
        CLOUDDB_PROFILE: profile,
        ...(id === undefined ? {} : { [environmentVariable(id)]: "id" }),
        [environmentVariable(secretKey)]: `${secret}${end}`,
        [environmentVariable(place)]: `${before}${encoded}${after}`,
      };
      const settings = reportedSettings(environmentOnly, environment);
      const read = outcomeOf(() => readSettings(environmentOnly, environment), ProviderError);
      assert.ok(read.kind === "error");
      const printed = settings.find(({ key }) => key === place);
      assert.ok(printed !== undefined && printedValue(printed) === "invalid");
      for (const text of [...settings.map(printedValue), read.message])
        for (const leak of [secret.trim(), encoded])
          assert.ok(!text.toLowerCase().includes(leak.toLowerCase()), text);
    },
  });
});
