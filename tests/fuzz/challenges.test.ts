import assert from "node:assert/strict";
import fc from "fast-check";
import {
  authorization,
  chooseChallenge,
  parseChallenges,
  withDigest,
} from "../../provider/src/service/digest";
import { ApiError } from "../../provider/src/service/errors";
import type { Exchange, ServiceRequest } from "../../provider/src/service/exchange";
import { hostileText } from "./hostile";
import { isOneOf, outcomeOf, plantedSecret, property } from "./properties";

const key = { publicKey: "demo", privateKey: `${plantedSecret}-key` };

const parameter = fc
  .tuple(
    fc.constantFrom("realm", "nonce", "opaque", "qop", "algorithm", "stale", "domain", "__proto__"),
    fc.oneof(
      fc.constantFrom("auth", "auth, auth-int", "MD5", "SHA-256-sess", "sha-256", "true", "n1"),
      hostileText,
    ),
    fc.constantFrom('"', "", '\\"'),
  )
  .map(([name, value, quote]) => `${name}=${quote}${value}${quote}`);

/** Complete, incomplete and damaged challenges, in one header. */
const header = fc
  .tuple(
    fc.constantFrom('Digest realm="r", nonce="n", qop="auth", ', "Digest ", "digest", "Basic ", ""),
    fc.array(parameter, { maxLength: 8 }),
    fc.oneof(fc.constant(""), hostileText),
    fc.constantFrom(", ", ",", " ", ";", ",,"),
  )
  .map(([start, parameters, end, separator]) => `${start}${parameters.join(separator)}${end}`);

const headers = fc.array(header, { maxLength: 4 });

describe("invalid or malicious challenges", () => {
  property("are signed with the values that were read, or ignored", {
    inputs: headers,
    check: (values) => {
      const challenge = chooseChallenge(values);
      if (challenge === undefined) return;
      const request = { method: "GET", uri: "/api?a=1", nonceCount: 1 };
      const signed = authorization(key, challenge, request);
      assert.ok(!signed.includes(plantedSecret));
      const [parsed] = parseChallenges(signed);
      const read = (name: string) => parsed?.parameters.get(name);
      // The parser stops after 16 KB, and a line break ends a quoted value after a backslash.
      if (signed.length > 8000 || /[\r\n\u2028\u2029]/.test(signed)) return;
      assert.equal(read("username"), "demo");
      assert.equal(read("realm"), challenge.realm);
      assert.equal(read("nonce"), challenge.nonce);
      assert.equal(read("opaque"), challenge.opaque);
      assert.match(read("response") ?? "", /^(?:[0-9a-f]{32}|[0-9a-f]{64})$/);
    },
  });

  property("are followed by at most five more requests, and a response or an ApiError", {
    inputs: fc.array(fc.tuple(fc.constantFrom(401, 401, 401, 200, 503), headers), {
      minLength: 1,
      maxLength: 10,
    }),
    check: async (responses) => {
      const sent: ServiceRequest[] = [];
      const exchange: Exchange = (request) => {
        sent.push(request);
        const [status, values] = responses[(sent.length - 1) % responses.length] ?? [200, []];
        const body = status === 401 ? values.join("") : "{}";
        return Promise.resolve({ status, headers: { "www-authenticate": values }, body });
      };
      const send = withDigest(key, exchange);
      await outcomeOf(() => send({ method: "GET", path: "/p", attempt: 1 }), isOneOf(ApiError));
      assert.ok(sent.length <= 6, `${sent.length} requests`);
      for (const { authorization: value = "" } of sent) assert.ok(!value.includes(plantedSecret));
    },
  });
});
