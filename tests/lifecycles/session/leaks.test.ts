import assert from "node:assert/strict";
import type { Fault } from "clouddb-simulator";
import { clientId, leaksIn, plantedSeed, publicKey, secrets } from "../../plantedSecrets";
import { projectId, settingsFor } from "../../service";
import { useProviders } from "../useProvider";

/** Returns a body that repeats a secret in several encodings, as the error page of a proxy could. */
function echoOf(secret: string): string {
  return [
    secret,
    JSON.stringify(secret),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
    Buffer.from(`${clientId}:${secret}`).toString("base64"),
  ].join("\n");
}

const json = { "content-type": "application/json" };

/** Returns responses that repeat a secret, by description. */
function responsesWith(secret: string): [string, Fault][] {
  const echo = echoOf(secret);
  const detail = JSON.stringify({ error: 403, errorCode: "FORBIDDEN", detail: echo });
  const location = `https://other.example/?${encodeURIComponent(secret)}`;
  return [
    ["a 401 that repeats it", { status: 401, body: echo }],
    ["a 403 whose detail repeats it", { status: 403, headers: json, body: detail }],
    ["a 400 in HTML", { status: 400, body: `<html>${echo}</html>` }],
    ["a redirect to an address that contains it", { status: 302, headers: { location } }],
    ["a 200 that is not JSON", { status: 200, body: echo }],
    ["a 200 of another shape", { status: 200, headers: json, body: JSON.stringify([echo]) }],
  ];
}

describe("errors", () => {
  const { service, start } = useProviders("privateIpMode", { seed: plantedSeed() });
  const environmentOf = (own: Record<string, string>) => {
    const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...rest } = settingsFor(service);
    return { ...rest, ...own };
  };
  const { privateKey, clientSecret } = secrets;

  for (const [kind, secret, own] of [
    ["private key", privateKey, { CLOUDDB_PUBLIC_KEY: publicKey, CLOUDDB_PRIVATE_KEY: privateKey }],
    [
      "client secret",
      clientSecret,
      { CLOUDDB_CLIENT_ID: clientId, CLOUDDB_CLIENT_SECRET: clientSecret },
    ],
  ] as const) {
    for (const [what, response] of responsesWith(secret)) {
      it(`do not contain the ${kind}, and neither does the log, after ${what}`, async () => {
        const provider = await start({ environment: environmentOf(own) });
        service.faults.push({ ...response, times: 1000 });
        const failures = await provider
          .check({ projectId, enabled: false })
          .then(({ failures: found }) => JSON.stringify(found), String);
        assert.ok(failures.length > 20, failures);
        assert.deepEqual(leaksIn(failures + provider.output(), { secret }), []);
      });
    }
  }

  for (const [what, invalid] of [
    ["a line break", `${privateKey}\nsecond line`],
    ["trailing white space", `${privateKey} `],
  ] as const) {
    it(`do not contain an invalid private key with ${what}`, async () => {
      const own = { CLOUDDB_PUBLIC_KEY: publicKey, CLOUDDB_PRIVATE_KEY: invalid };
      const provider = await start({ environment: environmentOf(own) });
      const { failures } = await provider.check({ projectId, enabled: false });
      assert.match(
        failures[0]?.reason ?? "",
        /privateKey.*(white space, such as|contains) a line break/,
      );
      assert.deepEqual(leaksIn(JSON.stringify(failures) + provider.output()), []);
    });
  }
});
