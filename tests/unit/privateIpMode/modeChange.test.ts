import assert from "node:assert/strict";
import { mock } from "node:test";
import type { Fault, Simulator } from "clouddb-simulator";
import type { Client } from "../../../provider/src/service/client";
import { UserError } from "../../../provider/src/messages/errors";
import { NoResponseError } from "../../../provider/src/service/errors";
import { defaultRetryPolicy } from "../../../provider/src/service/retry";
import { SharedListing } from "../../../provider/src/service/sharedListing";
import {
  type ModeChangeContext,
  UnconfirmedChangeError,
  setMode,
} from "../../../provider/src/privateIpMode/modeChange";
import type { Log } from "../../../provider/src/service/session";
import { checkCode } from "../../support/messageCodes";
import { projectId, startService } from "../../support/service";
import { testClient } from "../service/testClient";

describe("a change of private IP mode", () => {
  let service: Simulator;
  /** How long the change waited for the rate limit, in seconds. */
  let waited: number[];
  let warnings: string[];

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
    waited = [];
    warnings = [];
  });
  afterEach(() => {
    mock.timers.reset();
  });

  const log: Log = (severity, message, code) => {
    if (severity === "warning") checkCode(message, code);
    warnings.push(`${severity}: ${message}`);
    return Promise.resolve();
  };
  const contextOf = (more: Partial<ModeChangeContext> = {}): ModeChangeContext => {
    const client = testClient(service);
    const wait = (seconds: number) => {
      waited.push(seconds);
      service.clock.advanceSeconds(seconds);
      return Promise.resolve();
    };
    const onWait = () => undefined;
    const retryPolicy = { ...defaultRetryPolicy, firstDelaySeconds: 0.001, onWait, wait };
    const session = { client, listing: new SharedListing(client), retryPolicy, log };
    return { session, engineIsGone: () => Promise.resolve(false), ...more };
  };
  /** Returns a context whose client has some methods replaced. */
  const contextWith = (methods: Partial<Client>): ModeChangeContext => {
    const context = contextOf();
    Object.assign(context.session.client, methods);
    return context;
  };
  /** Runs `before` when the PATCH is about to be authenticated, which is after the guard. */
  const contextWhere = (before: () => void): ModeChangeContext => {
    const context = contextOf();
    const { client } = context.session;
    const patch = client.patchPrivateIpMode.bind(client);
    const patchPrivateIpMode: Client["patchPrivateIpMode"] = (...parameters) => {
      before();
      return patch(...parameters);
    };
    Object.assign(client, { patchPrivateIpMode });
    return context;
  };
  const disable = async (context = contextOf()) => {
    try {
      return await setMode(context, { projectId, enabled: false, recorded: undefined });
    } catch (error) {
      if (error instanceof UserError) checkCode(error.message, error.code);
      throw error;
    }
  };
  const project = () => service.project(projectId);
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
    project().setPrivateIpMode(false);
  };
  const blocker = { name: "late", version: "6.0.5" };
  const isBlocked = () => void project().addCluster(blocker);
  /** Checks the message of a failure that says nothing about a change that was sent. */
  const nothingSent = (message: RegExp) => (error: unknown) => {
    assert.ok(error instanceof Error && !(error instanceof UnconfirmedChangeError));
    assert.match(error.message, message);
    return true;
  };

  it("applies the guard even if it sends the first request of a process", async () => {
    // A service without this GET makes the guard's list and the PATCH the first requests.
    service.faults.push(noGet);
    project().updateCluster("orders", { version: "6.0.5" });
    await assert.rejects(disable(), nothingSent(/orders +6\.0\.5/));
    assert.equal(patches().length, 0);
  });

  describe("whose connection fails before it is written", () => {
    const contextFailing = (times: number) => {
      let failures = 0;
      return contextWhere(() => {
        const request = { method: "PATCH", path: "privateIpMode", attempts: 1 };
        failures += 1;
        if (failures > times) return;
        throw new NoResponseError(
          "connection",
          request,
          "could not connect to h: refused (E). Check baseUrl and the network.",
        );
      });
    };
    const observed = () => sent().filter(({ path }) => path.endsWith("/privateIpMode"));

    it("is sent later, after the guard", async () => {
      assert.equal(await disable(contextFailing(1)), true);
      assert.equal(lists().length, 2);
      assert.deepEqual(observed().map(nameOf), ["GET privateIpMode", "PATCH privateIpMode"]);
    });

    it("fails without claiming that it was sent if the service stays unreachable", async () => {
      service.faults.push(noGet);
      const failure = nothingSent(/could not connect to h: .* network\. \(PATCH /);
      await assert.rejects(disable(contextFailing(Infinity)), failure);
      assert.equal(observed().length, 1, "does not read the setting again");
    });
  });

  it("reads the clusters again for the lookups after the change", async () => {
    const context = contextOf();
    project().setPrivateIpMode(false);
    await context.session.listing.clusters(projectId);
    await setMode(context, { projectId, enabled: true, recorded: undefined });
    await context.session.listing.clusters(projectId);
    assert.equal(lists().length, 2);
  });

  describe("that is cancelled", () => {
    let cancellation: AbortController;

    beforeEach(() => {
      cancellation = new AbortController();
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
    const cancelledWhilePending = () =>
      cancellable({
        patchPrivateIpMode: (id, enabled, attempt, options) => {
          const maySend = () => {
            setImmediate(abort);
            return options?.maySend?.() ?? true;
          };
          const signalling = { ...options, maySend };
          return testClient(service).patchPrivateIpMode(id, enabled, attempt, signalling);
        },
      });

    it("before it starts sends nothing", async () => {
      cancellation.abort();
      await assert.rejects(disable(cancellable()), /cancelled\. Try again\./);
      assert.equal(patches().length, 0);
    });

    it("while it waits for the rate limit sends nothing", async () => {
      const waitForRateLimit = () => {
        cancellation.abort();
        return Promise.resolve();
      };
      const context = cancellable({ waitForRateLimit });
      await assert.rejects(disable(context), /cancelled\. Try again\./);
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(patches().length, 0);
    });

    it("completes a pending PATCH, because its outcome would be unknown otherwise", async () => {
      failPatch({ delayMs: 50 });
      assert.equal(await disable(cancelledWhilePending()), true);
      assert.equal(project().privateIpMode.enabled, false);
    });

    it("ends the pause before a retry, and sends nothing more", async () => {
      failPatch({ status: 503, times: Infinity });
      const started = Date.now();
      const patchPrivateIpMode: Client["patchPrivateIpMode"] = (...parameters) => {
        const change = testClient(service).patchPrivateIpMode(...parameters);
        change.catch(() => setTimeout(abort, 50));
        return change;
      };
      await assert.rejects(
        disable(cancellable({ patchPrivateIpMode }, 30)),
        /cancelled\. Try again\. \(PATCH privateIpMode of project \w+\)/,
      );
      assert.ok(Date.now() - started < 15_000);
      assert.equal(patches().length, 1);
      assert.equal(project().privateIpMode.enabled, true);
    });

    it("does not retry a PATCH that fails afterwards", async () => {
      failPatch({ status: 503, delayMs: 50 });
      await assert.rejects(disable(cancelledWhilePending()), /503/);
      assert.equal(patches().length, 1);
    });
  });

  it("reads the clusters immediately before it sends the change", async () => {
    await disable();
    assert.deepEqual(sent().slice(-2).map(nameOf), ["GET clusters", "PATCH privateIpMode"]);
  });

  it("waits for the rate limit after a 429 and applies the guard again", async () => {
    failPatch({ status: 429, headers: { "retry-after": "3" } });
    await disable();
    assert.equal(project().privateIpMode.enabled, false);
    assert.deepEqual(waited, [3]);
    assert.equal(lists().length, 2);
  });

  const lost: [what: string, fault: Fault][] = [
    ["a failure of the service", { status: 503 }],
    ["a reset before it was applied", { reset: true }],
    ["a reset after it was applied", { reset: "after" }],
    ["a truncated response", { truncate: true }],
  ];
  for (const [what, fault] of lost) {
    it(`reads the setting before it sends the change again after ${what}`, async () => {
      service.faults.push({ ...fault, method: "PATCH" });
      await disable();
      assert.equal(project().privateIpMode.enabled, false);
      const operations = sent().map(nameOf);
      const first = operations.indexOf("PATCH privateIpMode");
      assert.equal(operations[first + 1], "GET privateIpMode", "reads the setting");
      const wasApplied = fault.reset === "after" || fault.truncate === true;
      assert.equal(patches().length, wasApplied ? 1 : 2);
    });
  }

  describe("whose PATCH gets a 401", () => {
    const operationsFrom = (method: string) => {
      const operations = service.requests.map((each) => `${nameOf(each)} ${each.status}`);
      return operations.slice(operations.findIndex((each) => each.startsWith(method)));
    };
    /** Returns a context in which `before` runs just before the first PATCH, whose nonce is then stale. */
    const contextBeforePatch = (before: () => void = () => undefined) =>
      contextWhere(() => {
        service.clock.advanceSeconds(24 * 3600);
        before();
      });

    it("reads the setting and the clusters again before it is signed again", async () => {
      assert.equal(await disable(contextBeforePatch()), true);
      assert.equal(project().privateIpMode.enabled, false);
      const answered = operationsFrom("PATCH").filter((each) => !/^GET .* 401$/.test(each));
      assert.deepEqual(answered, [
        "PATCH privateIpMode 401",
        "GET privateIpMode 200",
        "GET clusters 200",
        "GET clusters 200",
        "PATCH privateIpMode 200",
      ]);
    });

    it("is not sent again if the setting already has the requested value", async () => {
      await disable(contextBeforePatch(isTurnedOff));
      assert.equal(patches().length, 1);
    });

    it("is not sent again if a cluster below 7.0 appeared in between", async () => {
      await assert.rejects(disable(contextBeforePatch(isBlocked)), /late +6\.0\.5/);
      assert.equal(patches().length, 1);
    });

    it("is not sent again if the setting cannot be read", async () => {
      const context = contextBeforePatch(() => {
        service.faults.push({ method: "GET", withCredentials: true, status: 403, times: Infinity });
      });
      await assert.rejects(disable(context), /it is not known .* 401.*Check the credentials/);
      assert.equal(patches().length, 1);
      assert.equal(project().privateIpMode.enabled, true);
    });

    it("is sent again after the guard if the service has no GET for the setting", async () => {
      service.faults.push(noGet);
      await disable(contextBeforePatch());
      assert.equal(project().privateIpMode.enabled, false);
      const expected = ["GET clusters 200", "PATCH privateIpMode 200"];
      assert.deepEqual(operationsFrom("PATCH").slice(-2), expected);
    });
  });

  describe("whose list is more than ten seconds old before it can be sent", () => {
    beforeEach(() => {
      mock.timers.enable({ apis: ["Date"], now: Date.now() });
    });
    const passTime = () => {
      mock.timers.tick(11_000);
    };

    it("applies the guard again, and is refused because of a cluster that appeared meanwhile", async () => {
      const context = contextWhere(() => {
        mock.timers.tick(11_000);
        isBlocked();
      });
      await assert.rejects(disable(context), /late +6\.0\.5/);
      assert.equal(patches().length, 0);
    });

    it("is sent after a second list that is recent", async () => {
      let delays = [11_000];
      const context = contextWhere(() => {
        mock.timers.tick(delays[0] ?? 10_000);
        delays = delays.slice(1);
      });
      assert.equal(await disable(context), true);
      assert.equal(patches().length, 1);
      assert.equal(lists().length, 2);
    });

    it("is sent if only the rate limit made the list that old", async () => {
      const context = contextWhere(passTime);
      const { listing } = context.session;
      const freshClusters = listing.freshClusters.bind(listing);
      const rateLimitSeconds = 20;
      listing.freshClusters = async (id) => ({ ...(await freshClusters(id)), rateLimitSeconds });
      assert.equal(await disable(context), true);
    });

    const setClockBack = () => {
      mock.timers.setTime(Date.now() - 1000);
    };
    for (const [what, change] of [
      ["is too old", passTime],
      ["is from the future, because the clock was set back", setClockBack],
    ] as const) {
      it(`fails if each of three lists ${what}`, async () => {
        const refusal = /was not disabled, because the versions .* 3 times/;
        await assert.rejects(disable(contextWhere(change)), refusal);
        assert.deepEqual([patches().length, lists().length], [0, 3]);
      });
    }
  });

  describe("that fails although the service applied it", () => {
    for (const status of [400, 401, 403, 404, 405, 409, 410, 422, 503]) {
      it(`succeeds after a ${status}, with a warning that quotes it`, async () => {
        failPatch({ status, body: { errorCode: "CANNOT_DO_IT", detail: "No." } });
        assert.equal(await disable(contextWhere(isTurnedOff)), true);
        assert.equal(patches().length, 1);
        const warning = `^warning: private .* was turned off, although the change failed: .* ${status} CANNOT_DO_IT: "No\\."`;
        assert.match(warnings.join("\n"), new RegExp(warning));
      });
    }

    it("says which value it has", async () => {
      project().setPrivateIpMode(false);
      service.faults.push({ reset: "after", method: "PATCH" });
      await setMode(contextOf(), { projectId, enabled: true, recorded: undefined });
      assert.match(warnings.join("\n"), /was turned on, although the change failed/);
    });
  });

  describe("whose outcome is unknown", () => {
    it("says so if the setting cannot be read after a refusal", async () => {
      failPatch({ status: 409 });
      service.faults.push({ ...get, delayMs: 0 }, { ...get, status: 403 });
      await assert.rejects(disable(), (error) => {
        assert.ok(error instanceof UnconfirmedChangeError);
        assert.equal(error.before, true);
        assert.match(
          error.message,
          /^the change was sent, but it is not known .* reads the mode first\. .* 409 .*PATCH/,
        );
        return true;
      });
    });

    it("says so if the service may still apply it after failures without an answer", async () => {
      failPatch({ status: 504, times: Infinity });
      await assert.rejects(disable(), (error) => {
        assert.ok(error instanceof UnconfirmedChangeError);
        assert.match(error.message, /did not show it afterwards, but the service may still apply/);
        return true;
      });
    });

    it("says so if the guard refuses to repeat it", async () => {
      failPatch({ status: 504 });
      const refusal = /the change was sent, [^]*late +6\.0\.5/;
      await assert.rejects(disable(contextWhere(isBlocked)), refusal);
      assert.equal(patches().length, 1);
    });

    it("refers to the service if it refuses the change and does not expose the setting", async () => {
      service.faults.push(noGet);
      failPatch({ status: 400, body: { errorCode: "CANNOT_UPDATE" } });
      await assert.rejects(disable(), /refused to disable .* so check there that it is unchanged/);
    });
  });

  describe("whose response does not contain the setting", () => {
    beforeEach(() => {
      failPatch({ status: 200, body: {} });
    });

    it("succeeds if the setting shows that it was applied", async () => {
      assert.equal(await disable(contextWhere(isTurnedOff)), true);
      assert.equal(patches().length, 1);
    });

    it("reports the response if the setting shows that it was not applied", async () => {
      await assert.rejects(disable(), /the response does not match .* enabled.* \(PATCH \S+\)/);
      assert.equal(patches().length, 1);
    });
  });

  it("reports a bug that occurs while it reads the setting after a failure", async () => {
    const context = contextOf();
    const { client } = context.session;
    const bug = new TypeError("x is not a function");
    const patchPrivateIpMode: Client["patchPrivateIpMode"] = (...parameters) => {
      Object.assign(client, { getPrivateIpMode: () => Promise.reject(bug) });
      return testClient(service).patchPrivateIpMode(...parameters);
    };
    Object.assign(client, { patchPrivateIpMode });
    failPatch({ status: 503 });
    await assert.rejects(disable(context), bug);
  });

  it("does not send the change again if the setting cannot be read", async () => {
    failPatch({ status: 503 });
    service.faults.push(noGet);
    await assert.rejects(
      disable(),
      /it is not known whether it was applied\. The next update sends it again\. The cause: /,
    );
    assert.equal(patches().length, 1);
    assert.equal(project().privateIpMode.enabled, true);
  });

  it("neither repeats the guard nor claims that a change was sent if the guard's list request fails", async () => {
    const path = /\/clusters$/;
    service.faults.push({ path, withCredentials: true, status: 503, times: Infinity });
    await assert.rejects(disable(), (error: Error) => {
      assert.match(error.message, /^the service responded with 503.*GET .*\/clusters/);
      assert.doesNotMatch(error.message, /was sent/);
      return true;
    });
    assert.equal(patches().length, 0);
    // The client has already repeated the list request.
    assert.equal(lists().length, 4);
  });

  it("does not send the change after the deadline", async () => {
    let begin = () => {};
    const waitsForTurn = new Promise<void>((resolve) => (begin = resolve));
    let takeTurn = () => {};
    const turn = new Promise<void>((resolve) => (takeTurn = resolve));
    const waitForTurn = () => {
      begin();
      return turn;
    };
    mock.timers.enable({ apis: ["setTimeout"] });
    const change = disable(contextWith({ waitForRateLimit: waitForTurn }));
    await waitsForTurn;
    mock.timers.tick(600_000);
    await assert.rejects(change, /timed out after 600 s in total/);
    mock.timers.reset();
    takeTurn();
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(patches().length, 0);
  });

  for (const [timeoutSeconds, limit, advice] of [
    [30, 30, "Increase customTimeouts, which is 30 s"],
    [600, 600, "Try again later"],
    [7200, 600, "Try again later"],
  ] as const) {
    const change = { projectId, enabled: false, recorded: undefined, timeoutSeconds };

    it(`reads the setting if a timeout of ${timeoutSeconds} s passes while it is pending`, async () => {
      let send = () => {};
      const isSent = new Promise<void>((resolve) => (send = resolve));
      const patchPrivateIpMode: Client["patchPrivateIpMode"] = (...[, , , options]) => {
        options?.maySend?.();
        send();
        return new Promise<boolean>(() => {});
      };
      mock.timers.enable({ apis: ["setTimeout"] });
      const changed = setMode(contextWith({ patchPrivateIpMode }), change);
      await isSent;
      mock.timers.tick(limit * 1000);
      await assert.rejects(changed, (error) => {
        assert.ok(error instanceof UnconfirmedChangeError);
        assert.match(error.message, new RegExp(`may still apply it.* timed out .*${advice}`));
        return true;
      });
      assert.equal(sent().map(nameOf).at(-1), "GET privateIpMode");
    });

    it(`names the request for the setting if a timeout of ${timeoutSeconds} s passes first`, async () => {
      mock.timers.enable({ apis: ["setTimeout"] });
      const getPrivateIpMode = () => new Promise<never>(() => {});
      const changed = setMode(contextWith({ getPrivateIpMode }), change);
      mock.timers.tick(limit * 1000);
      const message = `timed out after ${limit} s .*${advice}.* \\(GET privateIpMode of project \\w+\\)`;
      await assert.rejects(changed, new RegExp(message));
    });
  }

  it("counts the first read of the setting in the message of a timeout", async () => {
    const getPrivateIpMode: Client["getPrivateIpMode"] = () => {
      mock.timers.tick(20_000);
      return Promise.resolve({ kind: "observed", enabled: true });
    };
    const waitForRateLimit = () => {
      mock.timers.tick(10_000);
      return new Promise<never>(() => {});
    };
    const context = contextWith({ getPrivateIpMode, waitForRateLimit });
    const change = { projectId, enabled: false, recorded: undefined, timeoutSeconds: 30 };
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    await assert.rejects(setMode(context, change), /timed out after 30 s in total/);
  });

  it("does not send the change if the engine is gone", async () => {
    const context = contextOf({ engineIsGone: () => Promise.resolve(true) });
    await assert.rejects(
      disable(context),
      /mode of project \w+ was not changed, because the Pulumi engine that requested this change has ended/,
    );
    assert.equal(patches().length, 0);
  });

  it("fails if the service confirms a different setting", async () => {
    failPatch({ status: 200, body: { enabled: true } });
    const doubt = /the service may still apply it.* responded .* with enabled: true, not false/;
    await assert.rejects(disable(), doubt);
  });
});
