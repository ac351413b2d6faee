import assert from "node:assert/strict";
import { projectId, settingsFor } from "../../support/service";
import { unknown } from "../providerProcess";
import { useProvider } from "../useProvider";

describe("PrivateIpMode", () => {
  const { service, provider, start } = useProvider("privateIpMode");
  const disable = { projectId, enabled: false };
  const enable = { projectId, enabled: true };
  const get = { method: "GET", path: /privateIpMode$/, withCredentials: true };

  it("changes nothing if the mode already has the requested value", async () => {
    service.project().setPrivateIpMode(false);
    service.project().updateCluster("orders", { version: "6.0.5" });
    const checked = await provider.check(disable);
    assert.deepEqual(checked, { inputs: disable, failures: [] });
    assert.deepEqual((await provider.create(checked.inputs)).outs, disable);
    assert.deepEqual([service.patches().length, service.listings().length], [0, 0]);
  });

  it("enables the mode even if a cluster runs 6.0", async () => {
    service.project().setPrivateIpMode(false);
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { inputs, failures } = await provider.check(enable);
    assert.deepEqual(failures, []);
    await provider.create(inputs);
    assert.equal(service.project().privateIpMode.enabled, true);
  });

  it("refuses to disable in check and in create if a page after the apparent end repeats a cluster", async () => {
    // Every page has this cluster and the count of the page, so a lookup accepts the first page as complete.
    const body = { results: [{ name: "new", dbVersion: "7.0.12" }], totalCount: 1 };
    const listing = { path: /\/clusters$/, withCredentials: true, times: Infinity };
    service.faults.push({ ...listing, status: 200, body });
    const refusal = /list of clusters may be incomplete\. .* page 2 repeats an ID or a name/;
    assert.match((await provider.check(disable)).failures[0]?.reason ?? "", refusal);
    await assert.rejects(provider.create(disable), refusal);
    assert.equal(service.patches().length, 0);
  });

  it("refuses in check and in create in whatever state an old cluster is, and says what to do about it", async () => {
    const { inputs } = await provider.check(disable);
    for (const [change, expected] of [
      [{ paused: true }, /orders {2}6\.0\.5 {2}paused\nUpgrade it .*\nA paused cluster must be/],
      [{ state: "UPDATING" }, /orders {2}6\.0\.5 {2}updating\nUpgrade it .*\n.* wait for it/],
      [
        { state: "CREATING", reported: { version: null } },
        /orders {2}\(no version given\) {2}creating\nWait for a cluster that is being created, [^\n]*$/,
      ],
      [
        { state: "DELETING" },
        /orders {2}6\.0\.5 {2}deleting\nWait for a cluster that is being del/,
      ],
      [{ state: "REPAIRING" }, /orders {2}6\.0\.5 {2}repairing\nUpgrade it/],
    ] as const) {
      service.simulator.reset();
      service.project().updateCluster("orders", { version: "6.0.5", ...change });
      const { failures } = await (await start()).check(disable);
      assert.match(failures[0]?.reason ?? "", expected);
      await assert.rejects(provider.create(inputs), ({ message }: Error) => {
        assert.match(message, expected);
        return true;
      });
      assert.equal(service.patches().length, 0);
    }
  });

  it("warns in check before it disables the mode of a project with peering and legacy strings", async () => {
    service.project().updateCluster("billing", { peering: true });
    await provider.check(disable);
    const warnings = provider.output().match(/warning: disabling .*/g);
    assert.equal(warnings?.length, 1);
    assert.match(
      String(warnings),
      /disabling private IP mode .* legacy .* of cluster billing, .* strings of clusters billing, orders\./,
    );
  });

  for (const [enabled, detail, reason] of [
    [false, "A backup is running.", "A backup is running"],
    [true, undefined, "no reason given"],
  ] as const) {
    it(`names the reason of a refusal: ${reason}`, async () => {
      service.project().setPrivateIpMode(!enabled);
      const { inputs } = await provider.check({ projectId, enabled });
      const body = { errorCode: "CANNOT_UPDATE_PRIVATE_IP_MODE", detail };
      service.faults.push({ method: "PATCH", withCredentials: true, status: 409, body });
      const refusal = `the service refused to ${enabled ? "enable" : "disable"} .*CANNOT_UPDATE_PRIVATE_IP_MODE.* again\\. Reason: ${reason}`;
      await assert.rejects(provider.create(inputs), (error: Error) => {
        assert.match(error.message, new RegExp(refusal));
        assert.deepEqual(Object.keys(error), [], "records nothing");
        return true;
      });
    });
  }

  it("shows drift that follows drift, although the inputs of the last update have it, too", async () => {
    const { inputs } = await provider.check(disable);
    assert.equal(inputs["changesFrom"], "on");
    service.project().setPrivateIpMode(true);
    const first = (await provider.check(disable, inputs)).inputs;
    const second = (await provider.check(disable, first)).inputs;
    const third = (await provider.check(disable, second)).inputs;
    const found = [first, second, third].map(({ changesFrom }) => changesFrom);
    const outside = "on, outside this stack";
    assert.deepEqual(found, [outside, `${outside} again`, outside]);
  });

  it("replaces what the inputs of the last update say about the mode, so that no preview shows its removal", async () => {
    service.project().setPrivateIpMode(false);
    for (const changesFrom of ["on", "on, outside this stack"]) {
      const recorded = { ...disable, changesFrom };
      const found = { changesFrom: "off" };
      assert.deepEqual((await provider.check(enable, recorded)).inputs, { ...enable, ...found });
      const { inputs } = await provider.check(disable, recorded);
      assert.deepEqual(inputs, { ...disable, ...found });
      assert.equal((await provider.diff(projectId, disable, inputs)).changes, false);
    }
    assert.deepEqual((await provider.check(enable, disable)).inputs, enable);
    service.faults.push({ ...get, status: 405, times: Infinity });
    const { inputs } = await provider.check(enable, { ...disable, changesFrom: "on" });
    assert.deepEqual(inputs, { ...enable, changesFrom: "not known" });
  });

  it("warns that an update only records the mode if the program follows a change elsewhere", async () => {
    service.project().setPrivateIpMode(false);
    const { inputs } = await provider.check(disable, enable);
    assert.deepEqual(inputs, { ...disable, changesFrom: "off, outside this stack" });
    assert.equal((await provider.diff(projectId, enable, inputs)).changes, true);
    assert.match(
      provider.output(),
      /warning: .* is off, which differs from what is recorded\. .* This update only records that\./,
    );
  });

  it("shows drift before a refusal, because the program did not cause it", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { failures } = await provider.check(disable, disable);
    assert.match(failures[0]?.reason ?? "", /cannot be disabled/);
    assert.match(provider.output(), /warning: .* is on, which differs from what is recorded/);
  });

  it("records nothing if the outcome is unknown and the service has a GET for the setting", async () => {
    const { inputs } = await provider.check(disable);
    service.faults.push(
      { method: "PATCH", withCredentials: true, status: 503 },
      { ...get, delayMs: 0 },
      { ...get, status: 403 },
    );
    await assert.rejects(provider.create(inputs), (error: Error) => {
      assert.match(error.message, /may or may not have been disabled\. .*reads the mode first/);
      assert.deepEqual(Object.keys(error), []);
      return true;
    });
    assert.equal(service.patches().length, 1);
  });

  it("reads a state without the mode if the service does not expose it", async () => {
    service.faults.push({ ...get, status: 405, times: Infinity });
    const { props, inputs } = await provider.read(projectId, { projectId });
    assert.deepEqual([props, inputs], [{ projectId }, { projectId }]);
  });

  it("fails in check for an invalid argument, before any request", async () => {
    const news = { projectId, enabled: "no" };
    const { inputs, failures } = await provider.check(news);
    assert.deepEqual([inputs, failures.length], [news, 1]);
    assert.equal(failures[0]?.property, "enabled");
    assert.equal(service.requests.length, 0);
  });

  it("warns before it enables the mode, but not if it is already on", async () => {
    await provider.check(enable);
    assert.doesNotMatch(provider.output(), /enabling/);
    service.project().setPrivateIpMode(false);
    await provider.check(enable);
    assert.match(
      provider.output(),
      /warning: enabling private IP mode of project \w+ changes the addresses that the host names of its clusters resolve to/,
    );
  });

  it("shows an update for an unknown argument, and a replacement for an unknown project", async () => {
    const diff = (news: Record<string, unknown>) => provider.diff(projectId, disable, news);
    const inPlace = { changes: true, replaces: [] };
    assert.deepEqual(await diff({ projectId, enabled: unknown }), inPlace);
    assert.deepEqual((await diff({ ...disable, projectId: unknown })).replaces, ["projectId"]);
  });

  it("makes no request while an argument is unknown in a preview", async () => {
    const { inputs } = await provider.check({ projectId, enabled: unknown });
    assert.deepEqual(inputs, { projectId, enabled: unknown });
    assert.equal(service.requests.length, 0);
  });

  it("refuses a second resource for a project in the same run, and records neither name", async () => {
    const checked = await provider.check(disable);
    assert.deepEqual(checked.inputs, { ...disable, changesFrom: "on" });
    assert.deepEqual((await provider.check(disable)).failures, [], "the same resource");
    const same = { projectId: projectId.toUpperCase(), enabled: false };
    const { failures } = await provider.check({ ...same, __resource: "second" });
    assert.equal(failures[0]?.property, "projectId");
    assert.match(failures[0].reason, /"orders" already manages private IP mode of this project/);
    const later = await start({ name: "second" });
    assert.deepEqual((await later.check(disable)).failures, [], "another run");
  });

  it("refuses to import an ID that is not a project ID", async () => {
    const refusal = /invalid ID "a\\nb": must be a project ID, with only ASCII letters/;
    await assert.rejects(provider.read("a\nb", {}), refusal);
    assert.equal(service.requests.length, 0);
  });
});

describe("PrivateIpMode of a service with other names for lists", () => {
  const names = {
    pageParameter: "p",
    pageSizeParameter: "n",
    countParameter: "count",
    countField: "total",
  };
  const { service, provider, start } = useProvider("privateIpMode", { settings: names });

  it("is turned off only with these names in the settings", async () => {
    const disable = { projectId, enabled: false };
    const { failures } = await provider.check(disable);
    assert.match(failures[0]?.reason ?? "", /the service reports no totalCount/);
    const environment = {
      ...settingsFor(service),
      CLOUDDB_PAGE_PARAMETER: names.pageParameter,
      CLOUDDB_PAGE_SIZE_PARAMETER: names.pageSizeParameter,
      CLOUDDB_COUNT_PARAMETER: names.countParameter,
      CLOUDDB_COUNT_FIELD: names.countField,
    };
    const { check, create } = await start({ environment });
    await create((await check(disable)).inputs);
    assert.equal(service.project().privateIpMode.enabled, false);
  });
});
