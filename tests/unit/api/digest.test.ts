import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import {
  type DigestChallenge,
  authorization,
  chooseChallenge,
  parseChallenges,
} from "../../../provider/src/api/digest";

/** Parses the fields of an Authorization header. */
function fieldsOf(header: string): Map<string, string> {
  const [challenge] = parseChallenges(header);
  assert.equal(challenge?.scheme, "Digest");
  return new Map(challenge.parameters);
}

function challengeOf(header: string): DigestChallenge {
  const challenge = chooseChallenge([header]);
  assert.ok(challenge !== undefined, "expected a supported challenge");
  return challenge;
}

describe("digest", () => {
  it("signs as in the example of RFC 2617 3.5", () => {
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

  it("sends every field that the service needs to verify the hash, and escapes quotes", () => {
    const challenge = challengeOf('Digest realm="a \\"b\\"", qop="auth", nonce="n\\\\"');
    const key = { publicKey: 'us"er', privateKey: "secret" };
    const request = { method: "GET", uri: "/a?b=c", nonceCount: 26, clientNonce: "cn" };
    assert.match(
      authorization(key, challenge, request),
      /^Digest username="us\\"er", realm="a \\"b\\"", nonce="n\\\\", uri="\/a\?b=c", algorithm=MD5, qop=auth, nc=0000001a, cnonce="cn", response="[\da-f]{32}"$/,
    );
  });

  it("chooses a random client nonce for each request", () => {
    const challenge = challengeOf('Digest realm="r", qop="auth", nonce="n"');
    const key = { publicKey: "demo", privateKey: "secret" };
    const nonce = () =>
      fieldsOf(authorization(key, challenge, { method: "GET", uri: "/", nonceCount: 1 })).get(
        "cnonce",
      );
    assert.match(nonce() ?? "", /^[\da-f]{32}$/);
    assert.notEqual(nonce(), nonce());
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
    it(`signs as in the example of RFC 7616 3.9.1 with ${algorithm}`, () => {
      const challenge = challengeOf(rfc7616.challenge(algorithm));
      const header = authorization(rfc7616.key, challenge, rfc7616.request);
      assert.equal(fieldsOf(header).get("response"), response);
    });
  }

  it("prefers SHA-256 if a server also offers MD5", () => {
    const chosen = chooseChallenge([rfc7616.challenge("MD5"), rfc7616.challenge("SHA-256")]);
    assert.equal(chosen?.algorithm, "SHA-256");
  });

  it("parses several challenges in one header, with quoted commas and escapes and unknown schemes", () => {
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

  it("parses any quoted realm, nonce and opaque, before or after other schemes", () => {
    const text = fc.string({
      minLength: 1,
      unit: fc.constantFrom("a", "b", ",", " ", "=", "\\", '"', ";", "/", "é"),
    });
    const quoted = (value: string) => `"${value.replace(/["\\]/g, "\\$&")}"`;
    const other = fc.constantFrom("Negotiate", "Negotiate YII=", 'Basic realm="a, Digest b=c"');
    fc.assert(
      fc.property(text, text, text, fc.array(other), fc.array(other), (...drawn) => {
        const [realm, nonce, opaque, before, after] = drawn;
        const digest = `Digest qop="auth-int , auth",realm=${quoted(realm)}, nonce=${quoted(nonce)} ,opaque=${quoted(opaque)}, algorithm=md5`;
        const challenge = challengeOf([...before, digest, ...after].join(", "));
        assert.deepEqual(challenge, { realm, nonce, opaque, algorithm: "MD5", stale: false });
      }),
    );
  });

  it("never throws on an invalid header", () => {
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

  it("reads challenges of 5 MB, and 100,000 of them, within 2 s", () => {
    const start = performance.now();
    const valid = 'Digest realm="r", nonce="n", qop="auth"';
    for (const part of ["Basic ", "a=b,", '"', 'a="b', "\\", " ", "x y=", ",", 'A b=" c,']) {
      chooseChallenge([`Digest realm="${part.repeat(5_000_000 / part.length)}`]);
      chooseChallenge([part.repeat(5_000_000 / part.length)]);
    }
    const many = Array.from({ length: 100_000 }, () => 'Basic realm="x"');
    assert.equal(chooseChallenge([valid, ...many])?.nonce, "n");
    assert.equal(chooseChallenge([many.slice(0, 500).join(", "), valid])?.nonce, "n");
    assert.ok(performance.now() - start < 2000);
  });

  it("ignores a challenge without qop auth or with an unknown algorithm", () => {
    assert.equal(chooseChallenge(['Digest realm="r", nonce="n"']), undefined);
    assert.equal(chooseChallenge(['Digest realm="r", nonce="n", qop="auth-int"']), undefined);
    assert.equal(
      chooseChallenge(['Digest realm="r", nonce="n", qop="auth", algorithm=X']),
      undefined,
    );
    assert.equal(chooseChallenge(['Basic realm="r"', ""]), undefined);
    assert.equal(chooseChallenge(['Basic realm="r", nonce="n", qop="auth"']), undefined);
    assert.equal(chooseChallenge(['Digest nonce="n", qop="auth"']), undefined);
    assert.equal(chooseChallenge(['Digest realm="r", qop="auth"']), undefined);
  });
});
