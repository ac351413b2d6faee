import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { mock } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Fault } from "../../../simulator/src";
import type { ChangeOptions, Client } from "../../../provider/src/service/client";
import { UserError } from "../../../provider/src/messages/errors";
import { UnusableResponseError } from "../../../provider/src/service/requestErrors";
import { defaultRetryPolicy } from "../../../provider/src/service/retry";
import { SharedListing } from "../../../provider/src/service/clusterLists";
import {
  type ModeChangeContext,
  UnconfirmedChangeError,
  setMode,
} from "../../../provider/src/privateIpMode/modeChange";
import { checkCode } from "../../support/messageCodes";
import { projectId, useService } from "../../support/service";
import { waitUntil } from "../../support/waitUntil";
import { listOf, testClient } from "../service/testClient";

describe("a change of private IP mode", () => {
  const service = useService();
  /** The waits before retries, in seconds. */
  let waited: number[];

  beforeEach(() => {
    waited = [];
  });

  const contextOf = (more: Partial<ModeChangeContext> = {}): ModeChangeContext => {
    const client = testClient(service);
    const wait = (seconds: number) => {
      waited.push(seconds);
      service.simulator.clock.advanceSeconds(seconds);
      return Promise.resolve();
    };
    const onWait = () => undefined;
    const retryPolicy = { ...defaultRetryPolicy, firstDelaySeconds: 0.001, onWait, wait };
    const session = { client, listing: new SharedListing(client), retryPolicy };
    return { session, engineIsGone: () => Promise.resolve(false), ...more };
  };
  /** Returns a context whose client has some methods replaced. */
  const contextWith = (methods: Partial<Client>): ModeChangeContext => {
    const context = contextOf();
    Object.assign(context.session.client, methods);
    return context;
  };
  /** Returns a context with a function that sends each PATCH, which is after the guard. */
  const contextAround = (
    sendWith: (
      send: (options: ChangeOptions) => Promise<boolean>,
      options: ChangeOptions,
    ) => Promise<boolean>,
    context = contextOf(),
  ): ModeChangeContext => {
    const { client } = context.session;
    const patch = client.disablePrivateIpMode.bind(client);
    const disablePrivateIpMode: Client["disablePrivateIpMode"] = (permission, options) =>
      sendWith((changed) => patch(permission, changed), options);
    Object.assign(client, { disablePrivateIpMode });
    return context;
  };
  /** Runs `before` when the PATCH is about to be authenticated. */
  const contextWhere = (before: () => void) =>
    contextAround((send, options) => {
      before();
      return send(options);
    });
  /** Runs `before` when the first PATCH is about to be authenticated. */
  const contextBeforePatch = (before: () => void) => {
    let isFirst = true;
    return contextWhere(() => {
      if (isFirst) before();
      isFirst = false;
    });
  };
  const disable = async (context = contextOf()) => {
    try {
      await setMode(context, { projectId, enabled: false });
    } catch (error) {
      if (error instanceof UserError) checkCode(error.message, error.code);
      throw error;
    }
  };
  const sent = () => service.requests.filter(({ challenged }) => !challenged);
  const patches = () => sent().filter(({ method }) => method === "PATCH");
  const lists = () =>
    sent().filter(
      ({ operation, query }) => operation === "listClusters" && query["pageNum"] === "1",
    );
  const nameOf = ({ method, path }: { method: string; path: string }) =>
    `${method} ${path.split("/").at(-1)?.replace(/\?.*/, "") ?? ""}`;
  const failPatch = (fault: Fault) => {
    service.faults.push({ method: "PATCH", withCredentials: true, ...fault });
  };
  /** Requests for the setting. */
  const get = { method: "GET", path: /privateIpMode$/, withCredentials: true };
  const noGet = { ...get, status: 405, times: Infinity };
  const isTurnedOff = () => {
    service.project().setPrivateIpMode(false);
  };
  const blocker = { name: "late", version: "6.0.5" };
  const isBlocked = () => void service.project().addCluster(blocker);
  /** Checks the message of a failure that says nothing about a change that was sent. */
  const nothingSent = (message: RegExp) => (error: unknown) => {
    assert.ok(error instanceof Error && !(error instanceof UnconfirmedChangeError));
    assert.match(error.message, message);
    return true;
  };

  it("applies the guard even if it sends the first request of a process", async () => {
    // A service without this GET makes the guard's list and the PATCH the first requests.
    service.faults.push(noGet);
    service.project().updateCluster("orders", { version: "6.0.5" });
    await assert.rejects(disable(), nothingSent(/orders +6\.0\.5/));
    assert.equal(patches().length, 0);
  });

  describe("whose list of clusters is more than 30 s old when it could be written", () => {
    beforeEach(() => {
      mock.timers.enable({ apis: ["Date"], now: Date.now() });
    });
    afterEach(() => {
      mock.timers.reset();
    });
    const suspended = (seconds: number, before: () => void = () => undefined) =>
      contextBeforePatch(() => {
        mock.timers.tick(seconds * 1000);
        before();
      });

    it("is sent after a new list", async () => {
      await disable(suspended(60));
      assert.deepEqual([lists().length, patches().length], [2, 1]);
      assert.equal(service.project().privateIpMode.enabled, false);
    });

    it("is refused if a cluster below 7.0 appeared meanwhile", async () => {
      await assert.rejects(disable(suspended(60, isBlocked)), nothingSent(/late +6\.0\.5/));
      assert.equal(patches().length, 0);
    });

    it("fails if the list is old in each attempt", async () => {
      const always = contextWhere(() => {
        mock.timers.tick(60_000);
      });
      await assert.rejects(
        disable(always),
        nothingSent(/^not sent, because the list of .* 4 attempts/),
      );
      assert.deepEqual([lists().length, patches().length], [4, 0]);
    });

    it("fails after its deadline, although no timer fired meanwhile", async () => {
      await assert.rejects(disable(suspended(3600)), nothingSent(/^not sent, because/));
      assert.equal(lists().length, 1);
      service.project().setPrivateIpMode(false);
      const { session, engineIsGone } = contextOf();
      const slow = () => {
        mock.timers.tick(3600_000);
        return engineIsGone();
      };
      const change = setMode({ session, engineIsGone: slow }, { projectId, enabled: true });
      await assert.rejects(change, nothingSent(/^timed out after 600 s in total/));
      assert.equal(patches().length, 0);
    });
  });

  describe("whose connection fails before it is written", () => {
    const contextFailing = (times: number) => {
      let failures = 0;
      return contextWhere(() => {
        const request = { method: "PATCH", path: "privateIpMode", attempt: 1 } as const;
        const problem =
          "could not connect to h: refused (E). Check clouddb:baseUrl and the network.";
        failures += 1;
        if (failures > times) return;
        throw new UnusableResponseError("connection", request, problem);
      });
    };
    it("is sent later, after the guard", async () => {
      service.faults.push(noGet);
      await disable(contextFailing(1));
      assert.equal(lists().length, 2);
      assert.equal(service.project().privateIpMode.enabled, false);
    });

    it("fails without claiming that it was sent if the service stays unreachable", async () => {
      const failure = nothingSent(/could not connect to h: .* network\. \(PATCH /);
      await assert.rejects(disable(contextFailing(Infinity)), failure);
      assert.equal(patches().length, 0);
    });
  });

  for (const [status, body] of [
    [404, "<h1>Not here</h1>"],
    [404, { message: "no Route matched with those values" }],
    [405, ""],
  ] as const) {
    it(`does not take a ${status} with ${JSON.stringify(body)} for a service without this GET`, async () => {
      service.faults.push({ ...get, status, body, times: Infinity });
      const change = setMode(contextOf(), { projectId, enabled: false });
      await assert.rejects(change, nothingSent(new RegExp(` ${status}`)));
      assert.equal(service.project().privateIpMode.enabled, true);
    });
  }

  it("reads the clusters again for the lookups after the change", async () => {
    const context = contextOf();
    service.project().setPrivateIpMode(false);
    await context.session.listing.listed(projectId, "recent");
    await setMode(context, { projectId, enabled: true });
    await context.session.listing.listed(projectId, "recent");
    assert.equal(lists().length, 2);
  });

  describe("that is cancelled", () => {
    let cancellation: AbortController;

    beforeEach(() => {
      cancellation = new AbortController();
    });
    afterEach(() => {
      assert.deepEqual(getEventListeners(cancellation.signal, "abort"), []);
    });
    const abort = () => {
      cancellation.abort();
    };

    const cancellable = (methods: Partial<Client> = {}, firstDelaySeconds = 0.001) => {
      const context = contextWith(methods);
      const { signal: cancelled } = cancellation;
      const { wait } = defaultRetryPolicy;
      const retryPolicy = { ...context.session.retryPolicy, cancelled, firstDelaySeconds, wait };
      return { ...context, session: { ...context.session, retryPolicy } };
    };
    /** Returns a context that is cancelled shortly after each PATCH begins, or after it fails. */
    const cancelledAround = (when: "pending" | "failed", firstDelaySeconds?: number) =>
      contextAround(
        (send, options) => {
          const onSend = () => {
            options.onSend?.();
            if (when === "pending") void setImmediate().then(abort);
          };
          const change = send({ ...options, onSend });
          if (when === "failed") change.catch(() => setTimeout(abort, 50));
          return change;
        },
        cancellable({}, firstDelaySeconds),
      );

    it("before it starts sends nothing", async () => {
      cancellation.abort();
      await assert.rejects(disable(cancellable()), /cancelled; run the command again/);
      assert.equal(patches().length, 0);
    });

    it("while the guard reads the clusters sends nothing", async () => {
      const verifyClusters = () => {
        cancellation.abort();
        return Promise.resolve(listOf());
      };
      const context = cancellable({ verifyClusters });
      await assert.rejects(disable(context), /cancelled; run the command again/);
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(patches().length, 0);
    });

    it("sends nothing and is not in doubt while the PATCH waits for a connection", async () => {
      const waiting = contextAround((send, options) => {
        abort();
        return send(options);
      }, cancellable());
      await assert.rejects(disable(waiting), nothingSent(/^cancelled; run the command again/));
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(patches().length, 0);
    });

    it("completes a pending PATCH, because its outcome would be unknown otherwise", async () => {
      failPatch({ delayMs: 50 });
      await disable(cancelledAround("pending"));
      assert.equal(service.project().privateIpMode.enabled, false);
    });

    it("ends the pause before a retry, and sends nothing more", async () => {
      failPatch({ status: 503, times: Infinity });
      await assert.rejects(
        disable(cancelledAround("failed", 250)),
        /cancelled; run the command again \(PATCH privateIpMode of project \w+\)/,
      );
      assert.equal(patches().length, 1);
      assert.equal(service.project().privateIpMode.enabled, true);
    });

    it("does not retry a PATCH that fails afterwards", async () => {
      failPatch({ status: 503, delayMs: 50 });
      await assert.rejects(disable(cancelledAround("pending")), /503/);
      assert.equal(patches().length, 1);
    });
  });

  it("reads the clusters immediately before it sends the change", async () => {
    await disable();
    assert.deepEqual(sent().slice(-2).map(nameOf), ["GET clusters", "PATCH privateIpMode"]);
  });

  it("waits after a 429 as long as the service says, and applies the guard again", async () => {
    failPatch({ status: 429, headers: { "retry-after": "3" } });
    await disable();
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.deepEqual(waited, [3]);
    assert.equal(lists().length, 2);
  });

  for (const status of [401, 429]) {
    it(`is sent again after a ${status} of a gateway, even if the service has no GET for the setting`, async () => {
      service.faults.push(noGet);
      failPatch({ status, body: "<h1>Not now</h1>" });
      await disable();
      assert.equal(patches().length, 2);
    });
  }

  /** Checks that the change fails as unknown, and whether the next update can read the setting. */
  const unknown = (isReadable: boolean, message: RegExp) => (error: unknown) => {
    assert.ok(error instanceof UnconfirmedChangeError);
    assert.equal(error.isReadable, isReadable);
    assert.match(
      error.message,
      /^private IP mode of project \w+ may or may not have been disabled\. /,
    );
    assert.match(error.message, message);
    return true;
  };

  const unclear: [what: string, fault: Fault][] = [
    ["a failure of the service", { status: 500 }],
    ["a reset before it was applied", { reset: true }],
    ["a reset after it was applied", { reset: "after" }],
    ["a truncated response", { truncate: true }],
    ["a 202", { status: 202, body: {} }],
    ["a 202 with an error code", { status: 202, body: { errorCode: "LATER" } }],
    ["a login page", { status: 403, body: "<h1>Sign in</h1>" }],
    ["a 200 without the setting", { status: 200, body: {} }],
    ["a 200 with the other value", { status: 200, body: { enabled: true } }],
  ];
  for (const [what, fault] of unclear) {
    it(`reads the setting before it sends the change again after ${what}`, async () => {
      failPatch(fault);
      await disable();
      assert.equal(service.project().privateIpMode.enabled, false);
      const operations = sent().map(nameOf);
      const first = operations.indexOf("PATCH privateIpMode");
      assert.equal(operations[first + 1], "GET privateIpMode", "reads the setting");
      const wasApplied = fault.reset === "after" || fault.truncate === true;
      assert.equal(patches().length, wasApplied ? 1 : 2);
    });

    it(`succeeds after ${what} if the service applied it, without sending it again`, async () => {
      failPatch(fault);
      await disable(contextWhere(isTurnedOff));
      assert.equal(patches().length, 1);
    });

    it(`is not sent again after ${what} if the service has no GET for the setting`, async () => {
      service.faults.push(noGet);
      failPatch(fault);
      await assert.rejects(disable(), unknown(false, /It sends what the program then declares\./));
      assert.equal(patches().length, 1);
    });
  }

  it("succeeds if only the read after the last attempt shows that it was applied", async () => {
    failPatch({ status: 503, times: Infinity });
    let attempts = 0;
    await disable(
      contextWhere(() => {
        attempts += 1;
        if (attempts === 4) isTurnedOff();
      }),
    );
    assert.equal(patches().length, 4);
  });

  describe("whose PATCH gets a 401", () => {
    const operationsFrom = (method: string) => {
      const operations = service.requests.map((request) => `${nameOf(request)} ${request.status}`);
      const first = operations.findIndex((operation) => operation.startsWith(method));
      return operations.slice(first).filter((operation) => !/^GET .* 401$/.test(operation));
    };
    /** Returns a context in which `before` runs just before the first PATCH, whose nonce is then stale. */
    const contextRefusing = (before: () => void = () => undefined) =>
      contextBeforePatch(() => {
        service.simulator.clock.advanceSeconds(24 * 3600);
        before();
      });

    it("reads the setting and the clusters again before it is sent again", async () => {
      await disable(contextRefusing());
      assert.equal(service.project().privateIpMode.enabled, false);
      assert.deepEqual(operationsFrom("PATCH"), [
        "PATCH privateIpMode 401",
        "GET privateIpMode 200",
        "GET clusters 200",
        "GET clusters 200",
        "GET clusters 200",
        "PATCH privateIpMode 200",
      ]);
    });

    it("is not sent again if the setting already has the requested value", async () => {
      await disable(contextRefusing(isTurnedOff));
      assert.equal(patches().length, 1);
    });

    it("is not sent again if a cluster below 7.0 appeared in between", async () => {
      await assert.rejects(disable(contextRefusing(isBlocked)), nothingSent(/late +6\.0\.5/));
      assert.equal(patches().length, 1);
    });

    it("is not sent again if the setting cannot be read", async () => {
      const context = contextRefusing(() => {
        service.faults.push({ method: "GET", withCredentials: true, status: 403, times: Infinity });
      });
      await assert.rejects(disable(context), nothingSent(/ 403/));
      assert.equal(patches().length, 1);
      assert.equal(service.project().privateIpMode.enabled, true);
    });

    it("is sent again after the guard if the service has no GET for the setting", async () => {
      service.faults.push(noGet);
      await disable(contextRefusing());
      assert.equal(service.project().privateIpMode.enabled, false);
      const expected = ["GET clusters 200", "PATCH privateIpMode 200"];
      assert.deepEqual(operationsFrom("PATCH").slice(-2), expected);
    });

    it("is refused by the second 401 [5 rule 5]", async () => {
      failPatch({ status: 401, times: Infinity });
      await assert.rejects(disable(), nothingSent(/responded with 401/));
      assert.equal(patches().length, 2);
    });
  });

  for (const status of [400, 403, 404, 405, 409, 410, 422]) {
    it(`fails after a ${status} of the service, and is not sent again`, async () => {
      failPatch({ status, body: { errorCode: "CANNOT_DO_IT", detail: "No." } });
      await assert.rejects(disable(), nothingSent(/CANNOT_DO_IT.*No\./));
      assert.deepEqual(sent().slice(-1).map(nameOf), ["PATCH privateIpMode"]);
      assert.equal(patches().length, 1);
    });
  }

  describe("whose outcome is unknown", () => {
    it("says so if the service may still apply it after failures without an answer", async () => {
      failPatch({ status: 504, times: Infinity });
      await assert.rejects(disable(), unknown(true, /reads the mode first\. .* 504 .*PATCH/));
      assert.equal(patches().length, 4);
    });

    it("says so if the setting cannot be read afterwards", async () => {
      failPatch({ status: 504 });
      service.faults.push({ ...get, delayMs: 0 }, { ...get, status: 403 });
      await assert.rejects(disable(), unknown(true, / 403 /));
      assert.equal(patches().length, 1);
    });

    it("says so if a later attempt is refused by the service", async () => {
      failPatch({ status: 504 });
      failPatch({ status: 400, body: { errorCode: "CANNOT_UPDATE", detail: "No." } });
      await assert.rejects(disable(), unknown(true, /CANNOT_UPDATE/));
      assert.equal(patches().length, 2);
    });

    it("says so if the guard refuses to repeat it", async () => {
      failPatch({ status: 504 });
      await assert.rejects(disable(contextWhere(isBlocked)), unknown(true, /late +6\.0\.5/));
      assert.equal(patches().length, 1);
    });

    it("does not take the recorded value for the current one", async () => {
      // The setting differs from the recorded one, and its GET is then missing.
      failPatch({ status: 504 });
      service.faults.push({ ...get, delayMs: 0 }, noGet);
      await assert.rejects(disable(), UnconfirmedChangeError);
    });
  });

  it("is not in doubt if no token could be requested for it", async () => {
    const request = { method: "POST", path: "/token", attempt: 1 } as const;
    const problem = "no response from h within 30 s. Try again.";
    const context = contextWhere(() => {
      throw new UnusableResponseError("timeout", request, problem);
    });
    await assert.rejects(disable(context), nothingSent(/^no response .*\(POST \/token\)/));
  });

  it("reports a bug that occurs while it reads the setting after a failure", async () => {
    const bug = new TypeError("x is not a function");
    const context = contextWhere(() => {
      const getPrivateIpMode = () => Promise.reject(bug);
      Object.assign(context.session.client, { getPrivateIpMode });
    });
    failPatch({ status: 503 });
    await assert.rejects(
      disable(context),
      unknown(true, /The cause: TypeError: x is not a function\n +at/),
    );
  });

  for (const isReadable of [true, false]) {
    it(`has an unknown outcome after a bug once the PATCH was written, ${isReadable ? "with" : "without"} a GET`, async () => {
      if (!isReadable) service.faults.push(noGet);
      const context = contextAround(async (send, options) => {
        await send(options);
        service.project().setPrivateIpMode(true);
        throw new TypeError("x is not a function");
      });
      const expected = unknown(isReadable, /The cause: TypeError: x is not a function\n +at/);
      await assert.rejects(disable(context), expected);
      assert.equal(patches().length, 1);
    });
  }

  it("has an unknown outcome at once if its process ends while the PATCH is pending", async () => {
    const end = new AbortController();
    failPatch({ delayMs: 60_000 });
    const context = contextAround((send, options) => {
      const change = send(options);
      void waitUntil("a change", () => patches().length === 1).then(() => {
        end.abort();
      });
      return change;
    });
    const ended = disable({ ...context, end: end.signal });
    await assert.rejects(ended, unknown(true, /cancelled; run the command again/));
    assert.deepEqual(getEventListeners(end.signal, "abort"), []);
  });

  it("reports a bug before the PATCH is written as it is", async () => {
    const bug = new TypeError("x is not a function");
    const context = contextWhere(() => {
      throw bug;
    });
    await assert.rejects(disable(context), bug);
  });

  for (const [what, failure, expected] of [
    [
      "a bug",
      new TypeError("x is not a function"),
      /may or may not have been disabled.* TypeError: x is not a function/,
    ],
    [
      "an error of the service",
      new UnusableResponseError("connection", { method: "GET", path: "/", attempt: 1 }, "lost"),
      /may or may not have been disabled.* 503 .*PATCH/,
    ],
  ] as const) {
    it(`reports the right error if the read after the last attempt ends with ${what}`, async () => {
      let reads = 0;
      // One for each of the four attempts
      const getPrivateIpMode = () =>
        ++reads > 4 ? Promise.reject(failure) : Promise.resolve(true);
      for (let attempt = 0; attempt < 4; attempt += 1) failPatch({ status: 503 });
      await assert.rejects(disable(contextWith({ getPrivateIpMode })), expected);
      assert.equal(reads, 5);
    });
  }

  it("names both values if the service answers with the other one", async () => {
    const context = contextWith({
      getPrivateIpMode: () => Promise.resolve(true),
      disablePrivateIpMode: (_permission, { onSend }) => {
        onSend?.();
        return Promise.resolve(true);
      },
    });
    await assert.rejects(
      disable(context),
      /asked to disable the mode, but the service answered that it is on\. Check the setting in the service\. \(PATCH privateIpMode of project /,
    );
  });

  it("neither repeats the guard nor claims that a change was sent if the guard's list request fails", async () => {
    const path = /\/clusters$/;
    service.faults.push({ path, withCredentials: true, status: 503, times: Infinity });
    const failure = nothingSent(/^the service responded with 503.*GET .*\/clusters/);
    await assert.rejects(disable(), failure);
    assert.equal(patches().length, 0);
    // The client has already repeated the list request.
    assert.equal(lists().length, 4);
  });

  describe("after its deadline", () => {
    beforeEach(() => {
      mock.timers.enable({ apis: ["setTimeout"] });
    });
    afterEach(() => {
      mock.timers.reset();
    });

    /** Returns a context whose client sends no request, and answers at once except in these methods. */
    const contextAnswering = (methods: Partial<Client>) =>
      contextWith({
        getPrivateIpMode: () => Promise.resolve(true),
        verifyClusters: () => Promise.resolve(listOf()),
        ...methods,
      });

    it("is not sent", async () => {
      let respond = () => {};
      const getPrivateIpMode = () =>
        new Promise<boolean>((resolve) => {
          respond = () => {
            resolve(true);
          };
        });
      const written = mock.fn();
      const disablePrivateIpMode: Client["disablePrivateIpMode"] = (_permission, { onSend }) => {
        onSend?.();
        written();
        return Promise.resolve(false);
      };
      const change = disable(contextAnswering({ getPrivateIpMode, disablePrivateIpMode }));
      mock.timers.tick(600_000);
      await assert.rejects(change, /timed out after 600 s in total/);
      respond();
      await setImmediate();
      assert.equal(written.mock.callCount(), 0);
    });

    for (const [timeoutSeconds, limit, advice] of [
      [undefined, 600, "Try again later"],
      [7200, 7200, "Increase customTimeouts, which is 7200 s"],
    ] as const) {
      const change = { projectId, enabled: false, timeoutSeconds };

      it(`has an unknown outcome if it is pending after ${limit} s`, async () => {
        let send = () => {};
        const isSent = new Promise<void>((resolve) => (send = resolve));
        const disablePrivateIpMode: Client["disablePrivateIpMode"] = (_permission, { onSend }) => {
          onSend?.();
          send();
          return new Promise<boolean>(() => {});
        };
        const changed = setMode(contextAnswering({ disablePrivateIpMode }), change);
        await isSent;
        mock.timers.tick(limit * 1000);
        const message = new RegExp(`timed out after ${limit} s .*${advice}`);
        await assert.rejects(changed, unknown(true, message));
      });

      it(`fails without claiming that it was sent if the setting is not read after ${limit} s`, async () => {
        const getPrivateIpMode = () => new Promise<never>(() => {});
        const changed = setMode(contextAnswering({ getPrivateIpMode }), change);
        mock.timers.tick(limit * 1000);
        const message = `timed out after ${limit} s .*${advice}.* \\(PATCH privateIpMode of project \\w+\\)`;
        await assert.rejects(changed, nothingSent(new RegExp(message)));
      });
    }
  });

  it("does not send the change if the engine is gone", async () => {
    const context = contextOf({ engineIsGone: () => Promise.resolve(true) });
    await assert.rejects(
      disable(context),
      /mode of project \w+ was not changed, because the Pulumi engine that requested this change has ended/,
    );
    assert.equal(patches().length, 0);
  });
});
