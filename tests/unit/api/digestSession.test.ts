/** How requests of one API key share a challenge, and what they do without one. */
import assert from "node:assert/strict";

import type { ClientSettings } from "../../../provider/src/api/client";
import { ApiError } from "../../../provider/src/api/errors";
import {
  type ForeignService,
  type Handler,
  foreignService,
  sendChallenge,
  sendJson,
} from "../../foreignService";
import { key } from "../../service";
import { failureOf, testClient } from "./testClient";

describe("a digest session", () => {
  let service: ForeignService;
  afterEach(() => {
    service.stop();
  });

  /** A client of a service that answers by the handler. Nothing is retried. */
  async function clientOf(handler: Handler, settings: Partial<ClientSettings> = {}) {
    service = await foreignService(handler);
    const own = { credentials: { kind: "apiKey", ...key }, retries: { retries: 0 } } as const;
    return testClient(service, { ...own, ...settings });
  }

  const failing = async (handler: Handler, settings: Partial<ClientSettings> = {}) =>
    await failureOf((await clientOf(handler, settings)).listClusters("p"));

  const listings = async (handler: Handler, settings: Partial<ClientSettings> = {}) => {
    const client = await clientOf(handler, settings);
    const begun = performance.now();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => client.listClusters(`p${index}`)),
    );
    const errors = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason as unknown] : [],
    );
    return { errors, seconds: (performance.now() - begun) / 1000 };
  };

  it("sends requests in parallel when the service sends no challenge", async () => {
    const { errors, seconds } = await listings((_request, response) => {
      setTimeout(() => {
        sendJson(response, 200, { results: [], totalCount: 0 });
      }, 200);
    });
    assert.deepEqual(errors, []);
    assert.ok(seconds < 1.5, `${seconds} s`);
    assert.equal(service.requests.length, 20);
  });

  it("signs requests when the service begins to send challenges later", async () => {
    let isOpen = true;
    const client = await clientOf(({ headers }, response) => {
      if (isOpen || headers.authorization !== undefined) {
        sendJson(response, 200, { results: [], totalCount: 0 });
      } else {
        sendChallenge(response);
      }
    });
    await client.listClusters("p");
    isOpen = false;
    await Promise.all([client.listClusters("p"), client.listClusters("q")]);
    assert.ok(service.requests.some(({ headers }) => headers.authorization !== undefined));
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
    let asked = 0;
    const client = await clientOf(
      ({ headers }, response) => {
        asked += 1;
        if (headers.authorization !== undefined) sendJson(response, 200, { results: [] });
        else if (asked > 1) sendChallenge(response);
      },
      { callTimeoutSeconds: 0.5 },
    );
    const first = failureOf(client.listClusters("p"));
    await new Promise((resolve) => setTimeout(resolve, 250));
    const second = client.listClusters("q");
    assert.match((await first).message, /timed out after 0\.5 s in total/);
    assert.deepEqual((await second).clusters, []);
  });

  it("fails immediately if a 401 has no digest challenge", async () => {
    for (const [header, offers] of [
      [{}, "it sends no challenge"],
      [{ "www-authenticate": 'Bearer realm="x", Basic realm="y"' }, "it offers Bearer, Basic"],
      [{ "www-authenticate": 'Digest realm="x", nonce="n"' }, "it offers Digest"],
    ] as const) {
      const error = await failing((_request, response) => {
        sendJson(response, 401, {}, header);
      });
      assert.equal(error.code, "authentication");
      assert.match(error.message, /The service does not offer digest authentication/);
      assert.ok(error.message.includes(`(${offers})`), error.message);
      assert.match(error.message, /a service account may be needed/);
      assert.equal(service.requests.length, 1);
      service.stop();
    }
  });

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
        const { clusters } = await (await clientOf(handler)).listClusters("p");
        assert.deepEqual(clusters, []);
        return;
      }
      const error = await failing(handler);
      assert.equal(error.code, "authentication");
      assert.match(error.message, /keeps reporting its own nonces as stale/);
      assert.doesNotMatch(error.message, /Check the API key/);
    });
  }

  it("does not retry if the service refuses the key", async () => {
    const error = await failing((_request, response) => {
      sendChallenge(response);
    });
    assert.match(error.message, /Check the API key/);
    assert.equal(service.requests.length, 2);
  });
});
