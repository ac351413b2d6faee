import assert from "node:assert/strict";
import { createRequire } from "node:module";
import type { ServerResponse } from "node:http";
import { sendJson } from "../../support/foreignService";
import { useForeignClient } from "./testClient";

// oxlint-disable-next-line typescript/no-unsafe-assignment -- `createRequire` is not typed
const undiciTimers: { readonly tick: (milliseconds: number) => void } = createRequire(__filename)(
  "undici/lib/util/timers.js",
);

describe("a request timeout of 10 minutes", () => {
  const foreign = useForeignClient();

  /** Returns a promise of the response that the service has not sent yet. */
  async function pendingList() {
    let receive: (response: ServerResponse) => void = () => {};
    const received = new Promise<ServerResponse>((resolve) => (receive = resolve));
    const client = await foreign.clientOf(
      (_request, response) => {
        receive(response);
      },
      { requestTimeoutSeconds: 600 },
    );
    return { list: client.listClusters("p"), response: await received };
  }
  /** Advances the timers of undici by more than its default timeouts of 5 minutes. */
  function advanceTimers() {
    // The first tick only activates a new timer.
    undiciTimers.tick(1000);
    undiciTimers.tick(301_000);
  }

  const emptyPage = { results: [], totalCount: 0 };

  it("accepts a response that starts after more than 5 minutes", async () => {
    const { list, response } = await pendingList();
    advanceTimers();
    sendJson(response, 200, emptyPage);
    assert.deepEqual((await list).clusters, []);
  });

  it("accepts a response that pauses for more than 5 minutes", async () => {
    const { list, response } = await pendingList();
    response.writeHead(200, { "content-type": "application/json" });
    response.write(" ");
    await new Promise((resolve) => setTimeout(resolve, 100));
    advanceTimers();
    response.end(JSON.stringify(emptyPage));
    assert.deepEqual((await list).clusters, []);
  });
});
