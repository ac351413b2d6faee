import assert from "node:assert/strict";
import crypto from "node:crypto";
import { mock } from "node:test";
import {
  type DigestChallenge,
  authorization,
  chooseChallenge,
  digestParameters,
} from "../../../provider/src/service/digest";
import {
  type Handler,
  respondWith,
  sendChallenge,
  sendJson,
  withDigest,
} from "../../support/foreignService";
import { ProviderError } from "../../../provider/src/messages/errors";
import { checkCode } from "../../support/messageCodes";
import { errorOf, useForeignClient } from "./testClient";

/** Parses the fields of an Authorization header. */
function fieldsOf(header: string): Map<string, string> {
  const [parameters] = digestParameters(header);
  assert.ok(parameters !== undefined);
  return parameters;
}

function challengeOf(header: string): DigestChallenge {
  const challenge = chooseChallenge([header]);
  assert.ok(challenge !== undefined, "expected a supported challenge");
  return challenge;
}

describe("digest", () => {
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
      const fields = fieldsOf(header);
      assert.equal(fields.get("response"), response);
      assert.equal(fields.get("opaque"), "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS");
    });
  }

  it("prefers SHA-256 if a server also offers MD5", () => {
    const chosen = chooseChallenge([rfc7616.challenge("MD5"), rfc7616.challenge("SHA-256")]);
    assert.equal(chosen?.algorithm, "SHA-256");
  });

  it("parses several challenges in one header, with quoted commas and escapes and unknown schemes", () => {
    const header =
      'Negotiate, Newauth realm="a, \\"b\\"", type=1, Digest realm="MMS Public API", domain="", nonce="n1,n2", algorithm=MD5, qop="auth", stale=false, Basic realm="x"';
    const { nonce, stale, opaque } = challengeOf(header);
    assert.deepEqual({ nonce, stale, opaque }, { nonce: "n1,n2", stale: false, opaque: undefined });
  });

  it("ignores a challenge without qop auth or with an unknown algorithm", () => {
    for (const headers of [
      ['Digest realm="r", nonce="n"'],
      ['Digest realm="r", nonce="n", qop="auth-int"'],
      ['Digest realm="r", nonce="n", qop="auth", algorithm=X'],
      ['Basic realm="r"', ""],
      ['Basic realm="r", nonce="n", qop="auth"'],
      ['Digest nonce="n", qop="auth"'],
      ['Digest realm="r", qop="auth"'],
    ]) {
      assert.equal(chooseChallenge(headers), undefined);
    }
  });
});

describe("a digest session", () => {
  const foreign = useForeignClient();

  it("counts the uses of a nonce, and signs the method and path of each request", async () => {
    const client = await foreign.clientOf(
      withDigest(respondWith(200, { results: [], totalCount: 0 })),
    );
    await client.listClusters("p");
    await client.listClusters("q");
    const [, first = "", second = ""] = foreign.requests.map(
      ({ headers }) => headers.authorization ?? "",
    );
    assert.match(first, /uri="[^"]*\/groups\/p\/clusters[^"]*".* nc=00000001,/);
    assert.match(second, /uri="[^"]*\/groups\/q\/clusters[^"]*".* nc=00000002,/);
    assert.equal(foreign.requests.length, 3);
  });

  /** Returns a client that has listed clusters with a nonce which its service then forgot. */
  const clientOfForgetfulService = async () => {
    let nonce = "first";
    const client = await foreign.clientOf(({ headers }, response) => {
      if (headers.authorization?.includes(`nonce="${nonce}"`)) {
        sendJson(response, 200, { results: [], totalCount: 0, enabled: false });
      } else {
        sendChallenge(response, { nonce });
      }
    });
    await client.listClusters("p");
    nonce = "second";
    return client;
  };

  it("signs again when the service forgot a nonce that it accepted before", async () => {
    const client = await clientOfForgetfulService();
    await client.listClusters("p");
    assert.equal(foreign.requests.length, 4);
    await client.listClusters("p");
    assert.equal(foreign.requests.length, 5, "the new nonce replaced the old one");
  });

  it("does not sign a change again after a 401, and uses the new nonce for the next request", async () => {
    const client = await clientOfForgetfulService();
    const refused = await errorOf(client.enablePrivateIpMode("p", { attempt: 1 }));
    assert.equal(refused.code, "authentication");
    assert.equal(foreign.requests.length, 3);
    assert.equal(await client.enablePrivateIpMode("p", { attempt: 2 }), false);
    assert.equal(foreign.requests.length, 4);
  });

  it("does not count a failure of the service as an acceptance of the key", async () => {
    const client = await foreign.clientOf(
      withDigest((_request, response) => {
        if (foreign.requests.length === 2) sendJson(response, 500, {});
        else sendChallenge(response, { nonce: `nonce-${foreign.requests.length}` });
      }),
    );
    await errorOf(client.listClusters("p"));
    assert.equal((await errorOf(client.listClusters("p"))).code, "authentication");
    assert.equal(foreign.requests.length, 3);
  });

  it("fails when the service refuses a signed request without a challenge", async () => {
    const error = await foreign.listError(withDigest(respondWith(401, {})));
    assert.equal(error.code, "authentication");
    assert.equal(foreign.requests.length, 2);
  });

  for (const [what, header] of [
    ["no challenge", {}],
    ["no digest challenge", { "www-authenticate": 'Bearer realm="x", Basic realm="y"' }],
    ["no challenge with qop auth", { "www-authenticate": 'Digest realm="x", nonce="n"' }],
  ] as const) {
    it(`fails without a retry when a 401 has ${what}`, async () => {
      const error = await foreign.listError(respondWith(401, {}, header));
      assert.equal(error.code, "authentication");
      assert.match(
        error.message,
        /does not offer digest authentication .* Check clouddb:baseUrl and clouddb:apiPath\. .* requires a service account, set clouddb:clientId and clouddb:clientSecret instead of clouddb:publicKey/,
      );
      assert.equal(foreign.requests.length, 1);
    });
  }

  for (const [times, succeeds] of [
    [3, true],
    [4, false],
  ] as const) {
    it(`${succeeds ? "succeeds" : "fails"} after ${times} stale nonces in a row`, async () => {
      let stale = 0;
      const handler: Handler = ({ headers }, response) => {
        if (headers.authorization === undefined) {
          sendChallenge(response);
        } else if (stale < times) {
          stale += 1;
          sendChallenge(response, { nonce: `n${stale}`, stale: true });
        } else {
          sendJson(response, 200, { results: [] });
        }
      };
      const listing = (await foreign.clientOf(handler)).listClusters("p");
      if (succeeds) assert.deepEqual((await listing).clusters, []);
      else await assert.rejects(listing, /own nonces as stale\. The API key is not the cause/);
    });
  }

  it("does not sign again when the service refuses the key", async () => {
    const error = await foreign.listError((_request, response) => {
      sendChallenge(response);
    });
    assert.match(
      error.message,
      /Check the credentials in clouddb:publicKey and clouddb:privateKey/,
    );
    assert.equal(foreign.requests.length, 2);
  });
});

describe("an API key on a Node.js without MD5, as in FIPS mode", () => {
  const foreign = useForeignClient();
  const createHash = crypto.createHash.bind(crypto);

  beforeEach(() => {
    mock.method(crypto, "createHash", (algorithm: string) => {
      if (algorithm === "md5") throw new Error("error:0308010C:digital envelope routines");
      return createHash(algorithm);
    });
  });
  afterEach(() => {
    mock.restoreAll();
  });

  it("fails with a message that recommends a service account", async () => {
    const client = await foreign.clientOf(withDigest(respondWith(200, { results: [] })));
    for (const request of [
      () => client.listClusters("p"),
      () => client.getPrivateIpMode("p"),
      () => client.enablePrivateIpMode("p", { attempt: 1 }),
    ]) {
      await assert.rejects(request(), (error: unknown) => {
        assert.ok(error instanceof ProviderError);
        assert.match(
          error.message,
          /^API keys need MD5, which this Node\.js does not offer\. Use a service account instead: set clouddb:clientId and/,
        );
        checkCode(error.message, error.code);
        return true;
      });
    }
  });

  it("works if the service offers SHA-256", () => {
    const challenge = challengeOf('Digest realm="r", nonce="n", algorithm=SHA-256, qop="auth"');
    const request = { method: "GET", uri: "/", nonceCount: 1 };
    assert.match(
      authorization({ publicKey: "a", privateKey: "b" }, challenge, request),
      /algorithm=SHA-256/,
    );
  });
});
