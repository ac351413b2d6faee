import assert from "node:assert/strict";
import type { Simulator } from "clouddb-simulator";
import { sharedListing } from "../../../provider/src/api/sharedListing";
import { defaultRetryPolicy } from "../../../provider/src/api/retry";
import { argsSchema } from "../../../provider/src/clusterConnectionStrings/argsSchema";
import { waitForStrings } from "../../../provider/src/clusterConnectionStrings/waiting";
import { key, projectId, startService } from "../../service";
import { testClient } from "../api/testClient";

describe("a wait for a connection string", () => {
  let service: Simulator;
  let messages: string[];

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
    messages = [];
  });

  const wait = (waitSeconds: number, cancelled?: AbortSignal) => {
    const client = testClient(service, { credentials: { kind: "apiKey", ...key } });
    const log = (_severity: string, message: string) => {
      messages.push(message);
      return Promise.resolve();
    };
    const wanted = argsSchema.parse({ projectId, clusterName: "orders", waitSeconds });
    const retryPolicy = { ...defaultRetryPolicy, cancelled };
    return waitForStrings({ listing: sharedListing(client), log, retryPolicy }, wanted);
  };

  it("survives an outage of the service, and logs the outage", async () => {
    // Each poll attempts the request four times, so the outage lasts into the second poll.
    service.faults.push({ withCredentials: true, status: 503, times: 5 });
    const { recommended } = await wait(30);
    assert.match(recommended, /^db\+srv:\/\/orders\./);
    assert.deepEqual(messages, ["service unavailable; retrying for up to 30 s"]);
  });

  it("fails with the service's error if the outage lasts longer than waitSeconds", async () => {
    service.faults.push({ withCredentials: true, status: 503, times: Infinity });
    await assert.rejects(wait(0.5), /503.* Timed out after \d s \(waitSeconds: 0\.5\)/);
  });

  it("ends within a second of a cancellation, with what is missing", async () => {
    service.faults.push({ withCredentials: true, status: 503, times: Infinity });
    const started = Date.now();
    await assert.rejects(wait(1800, AbortSignal.timeout(1000)), /Cancelled after \d s/);
    assert.ok(Date.now() - started < 2000);
  });

  it("times out while a request is pending", async () => {
    service.faults.push({ withCredentials: true, delayMs: 4000, times: Infinity });
    const start = Date.now();
    await assert.rejects(wait(0.5), /did not respond\. Timed out after \d s \(waitSeconds: 0\.5\)/);
    assert.ok(Date.now() - start < 1500);
  });
});
