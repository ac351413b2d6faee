import assert from "node:assert/strict";
import { Digest } from "../../../../simulator/src/authentication/digest";
import { OffsetClock } from "../../../../simulator/src/store/clock";
import {
  sign,
  apiPath,
  type Challenge,
  challengeIn,
  clustersPath,
  ownerKey,
  type Response,
} from "../client";
import { credentialsSeed, key } from "../seeds";
import { useSimulator } from "../testService";

const clustersTarget = `${apiPath}${clustersPath}`;

describe("HTTP digest", () => {
  const service = useSimulator({ seed: credentialsSeed }, "test");
  const requestChallenge = async () => challengeIn(await service.send(clustersTarget));
  const sendWith = (authorization: string, target = clustersTarget): Promise<Response> =>
    service.send(target, { headers: { authorization } });

  it("challenges a request without credentials, and accepts the correct response [5 rule 1, 5 rule 3, 5 rule 8]", async () => {
    await service.start();
    const first = await service.send(clustersTarget);
    assert.equal(first.status, 401);
    assert.match(
      String(first.headers["www-authenticate"]),
      /^Digest realm="MMS Public API", domain="", nonce="[^"]+", algorithm=MD5, qop="auth", stale=false$/,
    );
    assert.equal((await service.call(clustersPath)).status, 200);
  });

  it("never transmits the private key [5 rule 2]", async () => {
    await service.start();
    await service.call(clustersPath);
    assert.ok(!JSON.stringify(service.simulator.requests).includes("demo-secret"));
    assert.equal(service.simulator.requests.at(-1)?.principal, "demo");
  });

  it("rejects a wrong key, an unknown key, HTTP Basic and malformed headers with 401 [5 rule 5]", async () => {
    await service.start();
    const wrong = { publicKey: "demo", privateKey: "demo-secre" };
    assert.equal((await service.call(clustersPath, { key: wrong })).status, 401);
    assert.equal((await service.call(clustersPath, { key: key("stranger") })).status, 401);
    for (const authorization of [
      `Basic ${Buffer.from("demo:demo-secret").toString("base64")}`,
      "Digest",
      'Digest username="demo"',
      'Digest username="demo", username="demo"',
      'Digest username="demo',
      "Digest ,,,",
      "Bearer x",
      "x",
    ]) {
      const response = await sendWith(authorization);
      assert.equal(response.status, 401, authorization);
      assert.ok(response.headers["www-authenticate"], authorization);
    }
  });

  it("accepts a nonce repeatedly with increasing counts, and rejects a count that was used before", async () => {
    await service.start();
    const challenge = await requestChallenge();
    assert.equal((await sendWith(sign(challenge, ownerKey, "GET", clustersTarget, 1))).status, 200);
    assert.equal((await sendWith(sign(challenge, ownerKey, "GET", clustersTarget, 2))).status, 200);
    const again = await sendWith(sign(challenge, ownerKey, "GET", clustersTarget, 2));
    assert.equal(again.status, 401);
    assert.equal(challengeIn(again).stale, "true");
    assert.equal((await sendWith(sign(challenge, ownerKey, "GET", clustersTarget, 3))).status, 200);
  });

  it("accepts counts that arrive out of order in parallel requests", async () => {
    await service.start();
    const challenge = await requestChallenge();
    const counts = [5, 3, 9, 1, 7, 2];
    const responses = await Promise.all(
      counts.map((count) => sendWith(sign(challenge, ownerKey, "GET", clustersTarget, count))),
    );
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  });

  it("responds with stale=true to a valid key with a nonce that is expired or from another server", async () => {
    await service.start({ nonceSeconds: 60 });
    const challenge = await requestChallenge();
    service.simulator.clock.advanceSeconds(61);
    const old = await sendWith(sign(challenge, ownerKey, "GET", clustersTarget));
    assert.equal(old.status, 401);
    assert.equal(challengeIn(old).stale, "true");
    const fresh = challengeIn(old);
    assert.equal((await sendWith(sign(fresh, ownerKey, "GET", clustersTarget))).status, 200);
    const foreign = await sendWith(
      sign({ ...challenge, nonce: "abc" }, ownerKey, "GET", clustersTarget),
    );
    assert.equal(challengeIn(foreign).stale, "true");
    const wrong = await sendWith(sign(challenge, key("stranger"), "GET", clustersTarget));
    assert.equal(challengeIn(wrong).stale, "false");
  });

  it("accepts new nonces after the clock returns to real time", async () => {
    await service.start();
    for (let at = 0; at < 2; at += 1) {
      service.simulator.clock.advanceSeconds(1000);
      assert.equal((await service.call(clustersPath)).status, 200);
    }
    service.simulator.clock.reset();
    assert.equal((await service.call(clustersPath)).status, 200);
  });

  it("rejects credentials computed for another path, query or method", async () => {
    await service.start();
    const challenge = await requestChallenge();
    assert.equal((await sendWith(sign(challenge, ownerKey, "GET", apiPath))).status, 401);
    assert.equal(
      (
        await sendWith(
          sign(challenge, ownerKey, "GET", clustersTarget),
          `${clustersTarget}?pretty=true`,
        )
      ).status,
      401,
    );
    assert.equal((await sendWith(sign(challenge, ownerKey, "DELETE", clustersTarget))).status, 401);
  });

  it("keeps the counts of 10,000 nonces, and treats older nonces as stale", () => {
    const clock = new OffsetClock();
    const settings = { digestAlgorithms: ["MD5" as const], nonceSeconds: 300 };
    const digest = new Digest(settings, clock, () => ownerKey.privateKey);
    const use = (challenge: Challenge, count: number) => {
      const parameters = sign(challenge, ownerKey, "GET", clustersTarget, count).replace(
        "Digest ",
        "",
      );
      return digest.check(parameters, "GET", clustersTarget).outcome;
    };
    const newChallenge = () => {
      clock.advanceSeconds(0.001);
      const headers = { "www-authenticate": digest.challenges(false) };
      return challengeIn({ status: 401, headers, text: "" });
    };
    const first = newChallenge();
    assert.equal(use(first, 1), "valid");
    for (let at = 0; at < 10_000; at += 1) use(newChallenge(), 1);
    assert.equal(use(first, 1), "stale");
    assert.equal(use(first, 2), "stale");
    assert.equal(use(newChallenge(), 1), "valid");
  });

  it("supports SHA-256 in addition to MD5 if configured", async () => {
    await service.start({ digestAlgorithms: ["SHA-256", "MD5"] });
    const first = await service.send(clustersTarget);
    assert.match(first.headers["www-authenticate"] as string, /SHA-256.*MD5/);
    const challenge = challengeIn(first);
    assert.equal(challenge.algorithm, "SHA-256");
    assert.equal((await sendWith(sign(challenge, ownerKey, "GET", clustersTarget))).status, 200);
    const md5 = { ...challenge, algorithm: "MD5" };
    assert.equal((await sendWith(sign(md5, ownerKey, "GET", clustersTarget, 2))).status, 200);
  });
});
