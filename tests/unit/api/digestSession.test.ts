import assert from "node:assert/strict";
import { ApiError } from "../../../provider/src/api/errors";
import { type Handler, sendChallenge, sendJson, withDigest } from "../../foreignService";
import { type TestSettings, errorOf, setUpServices } from "./testClient";

describe("a digest session", () => {
  const services = setUpServices();

  const listings = async (handler: Handler, settings: TestSettings = {}) => {
    const client = await services.clientOf(handler, settings);
    const start = performance.now();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => client.listClusters(`p${index}`)),
    );
    const errors = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason as unknown] : [],
    );
    return { errors, seconds: (performance.now() - start) / 1000 };
  };

  it("fetches the challenge before it signs", async () => {
    const client = await services.clientOf(
      withDigest((_request, response) => {
        sendJson(response, 200, { results: [{ name: "orders" }], totalCount: 1 });
      }),
    );
    const { clusters } = await client.listClusters("p");
    assert.deepEqual(
      clusters.map(({ name }) => name),
      ["orders"],
    );
    assert.deepEqual(
      services.requests.map(({ headers }) => /^Digest /.test(headers.authorization ?? "")),
      [false, true],
    );
  });

  it("sends requests in parallel when the service sends no challenge", async () => {
    const { errors, seconds } = await listings((_request, response) => {
      setTimeout(() => {
        sendJson(response, 200, { results: [], totalCount: 0 });
      }, 200);
    });
    assert.deepEqual(errors, []);
    assert.ok(seconds < 1.5, `${seconds} s`);
    assert.equal(services.requests.length, 20);
  });

  it("counts the uses of a nonce, and signs the method and path of each request", async () => {
    const client = await services.clientOf(
      withDigest((_request, response) => {
        sendJson(response, 200, { results: [], totalCount: 0 });
      }),
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
    const error = await services.listError(
      withDigest((_request, response) => {
        sendJson(response, 401, {});
      }),
    );
    assert.equal(error.code, "authentication");
    assert.equal(services.requests.length, 2);
  });

  it("names at most five other schemes, each once", async () => {
    const schemes = ["A", "B", "B", "C", "D", "E", "F"].map((name) => `${name} realm="x"`);
    const error = await services.listError((_request, response) => {
      sendJson(response, 401, {}, { "www-authenticate": schemes });
    });
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
    const { errors, seconds } = await listings(() => undefined, { requestTimeoutSeconds: 0.4 });
    assert.ok(seconds < 1.2, `${seconds} s`);
    assert.equal(errors.length, 20);
    for (const [index, error] of errors.entries()) {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, "timeout");
      assert.match(error.path, new RegExp(`/groups/p${index}/`));
      assert.match(error.message, /no response from https:.* within 0\.4 s/);
    }
  });

  it("sends requests in parallel when the service fails slowly", async () => {
    const { errors, seconds } = await listings((_request, response) => {
      setTimeout(() => {
        sendJson(response, 503, {});
      }, 200);
    });
    assert.equal(errors.length, 20);
    assert.ok(seconds < 1.5, `${seconds} s`);
  });

  it("probes again when the deadline of the first request passes", async () => {
    let received = 0;
    const client = await services.clientOf(
      ({ headers }, response) => {
        received += 1;
        if (headers.authorization !== undefined) sendJson(response, 200, { results: [] });
        else if (received > 1) sendChallenge(response);
      },
      { retryPolicy: { callTimeoutSeconds: 0.5 } },
    );
    const first = errorOf(client.listClusters("p"));
    await new Promise((resolve) => setTimeout(resolve, 250));
    const second = client.listClusters("q");
    assert.match((await first).message, /timed out after 0\.5 s in total/);
    assert.deepEqual((await second).clusters, []);
  });

  for (const [header, offers] of [
    [{}, "it sends no challenge"],
    [{ "www-authenticate": 'Bearer realm="x", Basic realm="y"' }, "it offers Bearer, Basic"],
    [{ "www-authenticate": 'Digest realm="x", nonce="n"' }, "it offers Digest"],
  ] as const) {
    it(`fails without a retry when a 401 has no digest challenge: ${offers}`, async () => {
      const error = await services.listError((_request, response) => {
        sendJson(response, 401, {}, header);
      });
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
      assert.doesNotMatch(error.message, /Check the API key/);
    });
  }

  it("does not sign again when the service refuses the key", async () => {
    const error = await services.listError((_request, response) => {
      sendChallenge(response);
    });
    assert.match(error.message, /Check the API key/);
    assert.equal(services.requests.length, 2);
  });
});
