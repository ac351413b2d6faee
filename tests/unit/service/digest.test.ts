import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import {
  type DigestChallenge,
  authorization,
  chooseChallenge,
  parseChallenges,
} from "../../../provider/src/service/digest";
import { ApiError } from "../../../provider/src/service/errors";
import {
  type Handler,
  respondWith,
  sendChallenge,
  sendJson,
  withDigest,
} from "../../support/foreignService";
import { type TestSettings, errorOf, setUpServices } from "./testClient";

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

  it("reads challenges of 5 MB, and 100,000 of them, in linear time", () => {
    const start = performance.now();
    const valid = 'Digest realm="r", nonce="n", qop="auth"';
    for (const part of ["Basic ", "a=b,", '"', 'a="b', "\\", " ", "x y=", ",", 'A b=" c,']) {
      chooseChallenge([`Digest realm="${part.repeat(5_000_000 / part.length)}`]);
      chooseChallenge([part.repeat(5_000_000 / part.length)]);
    }
    const many = Array.from({ length: 100_000 }, () => 'Basic realm="x"');
    assert.equal(chooseChallenge([valid, ...many])?.nonce, "n");
    assert.equal(chooseChallenge([many.slice(0, 500).join(", "), valid])?.nonce, "n");
    assert.ok(performance.now() - start < 10_000);
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

describe("a digest session", () => {
  const services = setUpServices();

  /** Lists the clusters of 20 projects at once. */
  const listings = async (handler: Handler, settings: TestSettings = {}) => {
    const client = await services.clientOf(handler, settings);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => client.listClusters(`p${index}`)),
    );
    return results.flatMap((result) =>
      result.status === "rejected" ? [result.reason as unknown] : [],
    );
  };

  /** Like {@link listings}; the service responds after 200 ms. Returns the highest number of pending requests. */
  const slowListings = async (status: number, body: object) => {
    let [pending, most] = [0, 0];
    const errors = await listings((_request, response) => {
      pending += 1;
      most = Math.max(most, pending);
      setTimeout(() => {
        pending -= 1;
        sendJson(response, status, body);
      }, 200);
    });
    return { errors, most };
  };

  it("sends requests in parallel when the service sends no challenge", async () => {
    const { errors, most } = await slowListings(200, { results: [], totalCount: 0 });
    assert.deepEqual(errors, []);
    assert.ok(most > 3, String(most));
    assert.equal(services.requests.length, 20);
  });

  it("counts the uses of a nonce, and signs the method and path of each request", async () => {
    const client = await services.clientOf(
      withDigest(respondWith(200, { results: [], totalCount: 0 })),
    );
    await client.listClusters("p");
    await client.listClusters("q");
    const [, first = "", second = ""] = services.requests.map(
      ({ headers }) => headers.authorization ?? "",
    );
    assert.match(first, /uri="[^"]*\/groups\/p\/clusters[^"]*".* nc=00000001,/);
    assert.match(second, /uri="[^"]*\/groups\/q\/clusters[^"]*".* nc=00000002,/);
    assert.equal(services.requests.length, 3);
  });

  it("signs again when the service forgot a nonce that it accepted before", async () => {
    let nonce = "first";
    const client = await services.clientOf(({ headers }, response) => {
      if (headers.authorization?.includes(`nonce="${nonce}"`)) {
        sendJson(response, 200, { results: [], totalCount: 0 });
      } else {
        sendChallenge(response, { nonce });
      }
    });
    await client.listClusters("p");
    nonce = "second";
    await client.listClusters("p");
    assert.equal(services.requests.length, 4);
    await client.listClusters("p");
    assert.equal(services.requests.length, 5, "the new nonce replaced the old one");
  });

  it("does not count a failure of the service as an acceptance of the key", async () => {
    for (const status of [500, 503]) {
      const client = await services.clientOf(
        withDigest((_request, response) => {
          if (services.requests.length === 2) sendJson(response, status, {});
          else sendChallenge(response, { nonce: `nonce-${services.requests.length}` });
        }),
      );
      await errorOf(client.listClusters("p"));
      await errorOf(client.listClusters("p"));
      assert.equal(services.requests.length, 3);
    }
  });

  it("sends later requests in parallel when the service accepted one without credentials", async () => {
    const held: (() => void)[] = [];
    const client = await services.clientOf((_request, response) => {
      const respond = () => {
        sendJson(response, 200, { results: [], totalCount: 0 });
      };
      if (services.requests.length === 1) respond();
      else held.push(respond);
      // The service responds only after it has received all three requests.
      if (held.length === 3) for (const release of held) release();
    });
    await client.listClusters("p");
    await Promise.all(["p", "q", "r"].map((projectId) => client.listClusters(projectId)));
    assert.equal(services.requests.length, 4);
  });

  it("probes again when the service responded with a failure", async () => {
    let isDown = true;
    const client = await services.clientOf(({ headers }, response) => {
      if (isDown) sendJson(response, 400, {});
      else if (headers.authorization === undefined) sendChallenge(response);
      else sendJson(response, 200, { results: [], totalCount: 0 });
    });
    await errorOf(client.listClusters("p"));
    isDown = false;
    await Promise.all([client.listClusters("p"), client.listClusters("q")]);
    const unsigned = services.requests.filter(({ headers }) => headers.authorization === undefined);
    assert.equal(unsigned.length, 2, "one failed request and one probe");
  });

  it("fails when the service refuses a signed request without a challenge", async () => {
    const error = await services.listError(withDigest(respondWith(401, {})));
    assert.equal(error.code, "authentication");
    assert.equal(services.requests.length, 2);
  });

  it("names at most five other schemes, each once", async () => {
    const schemes = ["A", "B", "B", "C", "D", "E", "F"].map((name) => `${name} realm="x"`);
    const error = await services.listError(respondWith(401, {}, { "www-authenticate": schemes }));
    assert.ok(error.message.includes("(it offers A, B, C, D, E)"), error.message);
  });

  it("sends a refused key only once after a failure of the service", async () => {
    const client = await services.clientOf(
      withDigest((_request, response) => {
        if (services.requests.length === 2) sendJson(response, 503, {});
        else sendChallenge(response, { nonce: `nonce-${services.requests.length}` });
      }),
      { retryPolicy: { retries: 1 } },
    );
    assert.equal((await errorOf(client.listClusters("p"))).code, "authentication");
    assert.equal(services.requests.length, 3);
  });

  it("signs requests when the service starts to send challenges later", async () => {
    let acceptsUnsigned = true;
    const client = await services.clientOf(({ headers }, response) => {
      if (acceptsUnsigned || headers.authorization !== undefined) {
        sendJson(response, 200, { results: [], totalCount: 0 });
      } else {
        sendChallenge(response);
      }
    });
    await client.listClusters("p");
    acceptsUnsigned = false;
    await Promise.all([client.listClusters("p"), client.listClusters("q")]);
    assert.ok(services.requests.some(({ headers }) => headers.authorization !== undefined));
  });

  it("fails all waiting requests after one timeout, each with its own path", async () => {
    const start = performance.now();
    const errors = await listings(() => undefined, { requestTimeoutSeconds: 0.4 });
    const seconds = (performance.now() - start) / 1000;
    assert.ok(seconds < 4, `${seconds} s`);
    assert.equal(errors.length, 20);
    for (const [index, error] of errors.entries()) {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, "timeout");
      assert.match(error.path, new RegExp(`/groups/p${index}/`));
      assert.match(error.message, /no response from https:.* within 0\.4 s/);
    }
  });

  it("sends requests in parallel when the service fails slowly", async () => {
    const { errors, most } = await slowListings(503, {});
    assert.equal(errors.length, 20);
    assert.ok(most > 3, String(most));
  });

  it("probes again when the deadline of the first request passes", async () => {
    let received = 0;
    const client = await services.clientOf(
      ({ headers }, response) => {
        received += 1;
        if (headers.authorization !== undefined) sendJson(response, 200, { results: [] });
        else if (received > 1) sendChallenge(response);
      },
      { retryPolicy: { callTimeoutSeconds: 2 } },
    );
    const first = errorOf(client.listClusters("p"));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const second = client.listClusters("q");
    assert.match((await first).message, /timed out after 2 s in total/);
    assert.deepEqual((await second).clusters, []);
  });

  for (const [header, offers] of [
    [{}, "it sends no challenge"],
    [{ "www-authenticate": 'Bearer realm="x", Basic realm="y"' }, "it offers Bearer, Basic"],
    [{ "www-authenticate": 'Digest realm="x", nonce="n"' }, "it offers Digest"],
  ] as const) {
    it(`fails without a retry when a 401 has no digest challenge: ${offers}`, async () => {
      const error = await services.listError(respondWith(401, {}, header));
      assert.equal(error.code, "authentication");
      assert.match(error.message, /The service does not offer digest authentication/);
      assert.ok(error.message.includes(`(${offers})`), error.message);
      assert.match(error.message, /a service account may be needed/);
      assert.equal(services.requests.length, 1);
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
      if (succeeds) {
        const { clusters } = await (await services.clientOf(handler)).listClusters("p");
        assert.deepEqual(clusters, []);
        return;
      }
      const error = await services.listError(handler);
      assert.equal(error.code, "authentication");
      assert.match(error.message, /keeps reporting its own nonces as stale/);
      assert.doesNotMatch(error.message, /Check the credentials/);
    });
  }

  it("does not sign again when the service refuses the key", async () => {
    const error = await services.listError((_request, response) => {
      sendChallenge(response);
    });
    assert.match(error.message, /Check the credentials/);
    assert.equal(services.requests.length, 2);
  });
});
