import assert from "node:assert/strict";
import { respondWith, withDigest } from "../../support/foreignService";
import { setUpServices } from "./testClient";

describe("the announced end of an API version", () => {
  const services = setUpServices();

  /** Lists clusters twice, and returns the warnings. */
  async function warnings(headers: Readonly<Record<string, string>>): Promise<string[]> {
    const messages: string[] = [];
    const handler = withDigest(respondWith(200, { results: [], totalCount: 0 }, headers));
    const onWarning = (message: string) => messages.push(message);
    const client = await services.clientOf(handler, { onWarning });
    await client.listClusters("p");
    await client.listClusters("p");
    return messages;
  }

  it("is logged once, with the date and the settings to change", async () => {
    const [message = "", ...others] = await warnings({ sunset: "Thu, 01 Jan 2099 00:00:00 GMT" });
    assert.match(
      message,
      /^the API version in use at https:.*\/v1\.0 will be removed on 2099-01-01, according to the response to GET .*\/clusters\. Set mediaType to a newer version, or the settings profile/,
    );
    assert.deepEqual(others, []);
  });

  for (const [headers, expected] of [
    [{ sunset: "Sun, 06 Nov 1994 08:49:37 GMT" }, /was to be removed on 1994-11-06 and may stop/],
    [{ deprecation: "@784111777" }, /has been deprecated since 1994-11-06/],
    [{ deprecation: "@4070908800" }, /will be deprecated on 2099-01-01/],
    [{ deprecation: "Sun, 06 Nov 1994 08:49:37 GMT" }, /has been deprecated since 1994-11-06/],
    [{ deprecation: "true" }, /is deprecated, according/],
    [{ deprecation: "true", sunset: "Thu, 01 Jan 2099 00:00:00 GMT" }, /will be removed on 2099/],
    [{ deprecation: "true", sunset: "soon" }, /is deprecated, according/],
  ] as const) {
    it(`is read from ${JSON.stringify(headers)}`, async () => {
      assert.match((await warnings(headers)).join(), expected);
    });
  }

  for (const headers of [
    { sunset: "2099-01-01" },
    { sunset: "Mon, 31 Feb 2099 00:00:00 GMT" },
    { deprecation: "false" },
    { deprecation: "@" },
    { deprecation: "784111777" },
  ] as const) {
    it(`is not read from the malformed ${JSON.stringify(headers)}`, async () => {
      assert.deepEqual(await warnings(headers), []);
    });
  }
});
