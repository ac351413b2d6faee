import assert from "node:assert/strict";
import type { Simulator } from "clouddb-simulator";
import { sharedListing } from "../../../provider/src/api/sharedListing";
import { argsSchema } from "../../../provider/src/clusterConnectionStrings/argsSchema";
import { waitForStrings } from "../../../provider/src/clusterConnectionStrings/waiting";
import { key, projectId, startService } from "../../service";
import { testClient } from "../api/testClient";

describe("a wait for a connection string", () => {
  let service: Simulator;
  let said: string[];

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
    said = [];
  });

  const wait = (waitSeconds: number) => {
    const client = testClient(service, { credentials: { kind: "apiKey", ...key } });
    const log = (_severity: string, message: string) => {
      said.push(message);
      return Promise.resolve();
    };
    const wanted = argsSchema.parse({ projectId, clusterName: "orders", waitSeconds });
    return waitForStrings({ listing: sharedListing(client), log }, wanted);
  };

  it("outlasts an outage of the service, and says so meanwhile", async () => {
    // A listing is tried four times, so the second look finds the service still failing.
    service.faults.push({ withCredentials: true, status: 503, times: 5 });
    const { recommended } = await wait(30);
    assert.match(recommended, /^db\+srv:\/\/orders\./);
    assert.deepEqual(said, ["service unavailable; retrying for up to 30 s"]);
  });

  it("ends with the failure of an outage that is longer", async () => {
    service.faults.push({ withCredentials: true, status: 503, times: Infinity });
    await assert.rejects(wait(0.5), /503.* Timed out after \d s \(waitSeconds: 0\.5\)/);
  });

  it("ends on time while a request is still under way", async () => {
    service.faults.push({ withCredentials: true, delayMs: 4000, times: Infinity });
    const start = Date.now();
    await assert.rejects(wait(0.5), /did not respond\. Timed out after \d s \(waitSeconds: 0\.5\)/);
    assert.ok(Date.now() - start < 1500);
  });
});
