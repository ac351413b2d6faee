import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import {
  type DigestChallenge,
  authorization,
  chooseChallenge,
  parseChallenges,
} from "../../../provider/src/api/digest";

/** The fields of an Authorization header, as a server reads them. */
function fieldsOf(header: string): Map<string, string> {
  const [challenge] = parseChallenges(header);
  assert.equal(challenge?.scheme, "Digest");
  return new Map(challenge.parameters);
}

function challengeOf(header: string): DigestChallenge {
  const challenge = chooseChallenge([header]);
  assert.ok(challenge !== undefined, "the challenge is understood");
  return challenge;
}

describe("digest", () => {
  it("answers the worked example of RFC 2617 3.5", () => {
    const challenge = challengeOf(
      'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"',
    );
    const fields = fieldsOf(
      authorization({ publicKey: "Mufasa", privateKey: "Circle Of Life" }, challenge, {
        method: "GET",
        uri: "/dir/index.html",
        nonceCount: 1,
        clientNonce: "0a4f113b",
      }),
    );
    assert.equal(fields.get("response"), "6629fae49393a05397450978507c4ef1");
    assert.equal(fields.get("opaque"), "5ccc069c403ebaf9f0171e9517f40e41");
    assert.equal(fields.get("nc"), "00000001");
  });

  const rfc7616 = {
    key: { publicKey: "Mufasa", privateKey: "Circle of Life" },
    request: {
      method: "GET",
      uri: "/dir/index.html",
      nonceCount: 1,
      clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
    },
    challenge: (algorithm: string) =>
      `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`,
  };

  for (const [algorithm, response] of [
    ["MD5", "8ca523f5e9506fed4657c9700eebdbec"],
    ["SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"],
  ] as const) {
    it(`answers the worked example of RFC 7616 3.9.1 with ${algorithm}`, () => {
      const challenge = challengeOf(rfc7616.challenge(algorithm));
      const header = authorization(rfc7616.key, challenge, rfc7616.request);
      assert.equal(fieldsOf(header).get("response"), response);
    });
  }

  it("prefers SHA-256 if a server also offers MD5", () => {
    const chosen = chooseChallenge([rfc7616.challenge("MD5"), rfc7616.challenge("SHA-256")]);
    assert.equal(chosen?.algorithm, "SHA-256");
  });

  it("reads several challenges in one header, commas and escapes in quotes, and schemes it does not know", () => {
    const header =
      'Negotiate YII=, Newauth realm="a, \\"b\\"", type=1, Digest realm="MMS Public API", domain="", nonce="n1,n2", algorithm=MD5, qop="auth", stale=false, Basic realm="x"';
    assert.deepEqual(
      parseChallenges(header).map(({ scheme }) => scheme),
      ["Negotiate", "Newauth", "Digest", "Basic"],
    );
    assert.equal(parseChallenges(header)[1]?.parameters.get("realm"), 'a, "b"');
    const { nonce, stale, opaque } = challengeOf(header);
    assert.deepEqual({ nonce, stale, opaque }, { nonce: "n1,n2", stale: false, opaque: undefined });
  });

  it("reads back whatever a server may quote, in any order among other schemes", () => {
    const text = fc.string({
      minLength: 1,
      unit: fc.constantFrom("a", "b", ",", " ", "=", "\\", '"', ";", "/", "é"),
    });
    const quoted = (value: string) => `"${value.replace(/["\\]/g, "\\$&")}"`;
    const other = fc.constantFrom("Negotiate", "Negotiate YII=", 'Basic realm="a, Digest b=c"');
    fc.assert(
      fc.property(text, text, text, fc.array(other), fc.array(other), (...drawn) => {
        const [realm, nonce, opaque, before, behind] = drawn;
        const digest = `Digest qop="auth-int , auth",realm=${quoted(realm)}, nonce=${quoted(nonce)} ,opaque=${quoted(opaque)}, algorithm=md5`;
        const challenge = challengeOf([...before, digest, ...behind].join(", "));
        assert.deepEqual(challenge, { realm, nonce, opaque, algorithm: "MD5", stale: false });
      }),
    );
  });

  it("never fails on a header, whatever it holds", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (headers) => {
        chooseChallenge(headers);
      }),
    );
  });

  for (const [algorithm, hash] of [
    ["MD5-sess", "md5"],
    ["SHA-256-sess", "sha256"],
  ] as const) {
    it(`binds the key to the nonces with ${algorithm} (RFC 7616 3.4.2)`, () => {
      const challenge = challengeOf(rfc7616.challenge(algorithm));
      const { clientNonce, uri } = rfc7616.request;
      const h = (value: string) => createHash(hash).update(value).digest("hex");
      const key = h("Mufasa:http-auth@example.org:Circle of Life");
      const session = h(`${key}:${challenge.nonce}:${clientNonce}`);
      const rest = `${challenge.nonce}:00000001:${clientNonce}:auth:${h(`GET:${uri}`)}`;
      const header = authorization(rfc7616.key, challenge, rfc7616.request);
      assert.equal(fieldsOf(header).get("response"), h(`${session}:${rest}`));
    });
  }

  it("ignores a challenge without qop auth or with an unknown algorithm", () => {
    assert.equal(chooseChallenge(['Digest realm="r", nonce="n"']), undefined);
    assert.equal(chooseChallenge(['Digest realm="r", nonce="n", qop="auth-int"']), undefined);
    assert.equal(
      chooseChallenge(['Digest realm="r", nonce="n", qop="auth", algorithm=X']),
      undefined,
    );
    assert.equal(chooseChallenge(['Basic realm="r"', ""]), undefined);
  });
});
