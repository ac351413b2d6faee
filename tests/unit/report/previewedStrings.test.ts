/** What a report says of strings that a preview does not know, or that a policy changes after `check` made them. */
import assert from "node:assert/strict";
import { buildReport } from "../../../provider/src/report/decide/buildReport";
import { markdown } from "../../../provider/src/report/write/markdown";
import { eventLog, eventsOf, list, moved, secret, shownText, stateOf, urnOf } from "./recorded";

const dynamicUrl = "pulumi-nodejs:dynamic/clouddb:DatabaseUrl";
const pluginUrl = "clouddb:index:DatabaseUrl";
const args = {
  connectionString: "db+srv://orders-pri.ab1cd.db.example",
  username: "app",
  password: secret,
};
const [inside, outside] = [urnOf("inside", "app:index:Secret"), urnOf("outside", "app:index:Task")];
/** A state in which a Secret has the string of a resource, and a task has the Secret. */
const receiversOf = (urn: string) =>
  stateOf(
    { urn: inside, propertyDependencies: { data: [urn] } },
    { urn: outside, propertyDependencies: { secret: [inside] } },
  );

/** A step that updates a DatabaseUrl, whose URL the preview knows unless it is null. */
const urlStep = (urn: string, changed: object, url: object | null = secret) => ({
  op: "update",
  urn,
  old: { inputs: args, outputs: { url: secret } },
  new: { inputs: { ...args, ...changed }, outputs: url === null ? {} : { url } },
});

const receiving = [
  { op: "update", urn: inside },
  { op: "same", urn: outside },
];

describe("a report of a string that a policy changes after check", () => {
  /** The report of a step and a receiver that the preview does not change, with remediations of the resource. */
  const shown = (
    step: { readonly urn: string },
    ...remediations: readonly { readonly before: object; readonly after: object }[]
  ) => {
    const events = remediations.map((each) => ({
      policyRemediationEvent: { policyName: "p", resourceUrn: step.urn, ...each },
    }));
    const all = [
      ...events.map((event) => ({ sequence: 0, ...event })),
      ...eventsOf({ steps: [step, ...receiving] }),
    ];
    return markdown(buildReport({ preview: eventLog(all), state: receiversOf(step.urn) }));
  };
  const before = { ...args, url: secret };
  const after = { ...before, database: "shop" };
  const changes =
    "A policy changes its arguments, so this preview does not show the URL, nor what changes with it.";
  const keeps = /does not change Task `outside`, so restart it/;
  const urn = urnOf("orders", dynamicUrl);

  it("says so instead of calling the receivers of a DatabaseUrl unchanged", () => {
    const text = shown(urlStep(urn, { database: "shop" }), { before, after });
    assert.match(text, /policy p changes database of DatabaseUrl orders\./);
    assert.match(
      text,
      /\| `db\+srv:\/\/app:\[secret\]@orders-pri\.ab1cd\.db\.example\/shop` \| Secret `inside`, then Task `outside` \|/,
    );
    assert.ok(text.includes(`\n\n${changes} Running applications use the old string`), text);
    assert.doesNotMatch(text, keeps);
  });

  it("compares the arguments before the first remediation with those after the last one", () => {
    const back = { before: after, after: before };
    const step = urlStep(urn, { username: "b" });
    assert.match(shown(step, { before, after }, back), /A policy may change its arguments/);
    assert.ok(shown(step, { before, after }, { before: after, after }).includes(changes));
  });

  it("says that a secret may change", () => {
    const text = shown(urlStep(urn, { username: "b" }), { before, after: before });
    assert.ok(
      text.includes(
        "A policy may change its arguments, so this preview may not show the URL, or what changes with it. Running",
      ),
      text,
    );
    assert.match(text, /policy p may change password, url of DatabaseUrl orders\./);
    assert.doesNotMatch(text, keeps);
  });

  it("calls the receivers unchanged if the preview has the URL of the changed arguments", () => {
    // The plugin's preview makes the URL after the remediation.
    const ofPlugin = urlStep(urnOf("orders", pluginUrl), { database: "shop" });
    const remediated = { before: args, after: { ...args, database: "shop" } };
    // Of no argument is the URL made.
    const { password, ...open } = before;
    const other = { before: open, after: { ...open, x: 1 } };
    for (const [step, remediation] of [
      [ofPlugin, remediated],
      [urlStep(urn, { username: "b" }), other],
    ] as const) {
      const text = shown(step, remediation);
      assert.match(text, keeps);
      assert.doesNotMatch(text, /A policy (?:may )?changes?/);
    }
  });

  it("shows a URL that the policy deletes like one that the preview does not know", () => {
    const { url, ...deleted } = after;
    const text = shown(urlStep(urn, { database: "shop" }, null), { before, after: deleted });
    assert.match(text, keeps);
    assert.doesNotMatch(text, /A policy (?:may )?changes?/);
  });

  it("does not show the string of a lookup, which is the one of the arguments before", () => {
    const step = moved("orders");
    const strings = { recommended: "db+srv://orders.ab1cd.db.example" };
    const text = shown(step, {
      before: { network: { kind: "internet" }, ...strings },
      after: { network: { kind: "privateEndpoint" }, ...strings },
    });
    assert.match(text, /#### 1 lookup: `peering` to a string that is known after the update\n/);
    assert.match(
      text,
      /\| `\(known after the update\)` \| Secret `inside`, then Task `outside` \|/,
    );
    assert.match(
      text,
      /\n\nA policy changes its arguments, so this preview does not show the string, nor what changes with it\.\n/,
    );
    assert.doesNotMatch(text, keeps);
    assert.match(shown(step, { before: { waitSeconds: 1 }, after: { waitSeconds: 2 } }), keeps);
  });

  it("speaks of several resources, apart from those that no policy changes", () => {
    const urns = list(3, (at) => urnOf(`url-${at}`, dynamicUrl));
    const steps = urns.map((each) => urlStep(each, { database: "shop" }));
    const events = urns.slice(1).map((resourceUrn) => ({
      sequence: 0,
      policyRemediationEvent: { policyName: "p", resourceUrn, before, after },
    }));
    const text = markdown(buildReport({ preview: eventLog([...events, ...eventsOf({ steps })]) }));
    assert.match(text, /#### 1 database URL: `peering`, database changes\n/);
    assert.match(
      text,
      /#### 2 database URLs: `peering`, database changes\n[^#]*A policy changes their arguments, so this preview does not show the URLs, nor what changes with them\. Running/,
    );
  });
});

describe("a report of a deletion", () => {
  const deleted = (...names: readonly string[]) =>
    names.map((name) => ({ op: "delete", urn: urnOf(name, "app:index:SecretVersion") }));
  const warningOf = (...steps: readonly object[]) =>
    /> (Deletes .*)/.exec(shownText(steps))?.[1] ?? "";
  const url = (name: string, value: object | null) =>
    urlStep(urnOf(name, dynamicUrl), { username: "b" }, value);
  /** A lookup that waits for its string. */
  const waiting = (name: string) => ({
    ...moved(name),
    new: { inputs: { projectId: "p", clusterName: name } },
  });

  it("says that the update may keep it if the preview does not run apply on a string", () => {
    assert.equal(
      warningOf(url("d", null), ...deleted("a")),
      "Deletes SecretVersion `a`. If the program declares it inside `apply` of the URL of `d`, the update may keep it.",
    );
    assert.equal(
      warningOf(url("d", null), url("e", null), waiting("l"), ...deleted("a", "b")),
      "Deletes SecretVersion `a`, `b`. If the program declares them inside `apply` of the string of `l` or the URLs of `d`, `e`, the update may keep them.",
    );
  });

  it("says nothing of it if the preview knows all strings", () => {
    assert.equal(
      warningOf(url("d", secret), moved("l"), ...deleted("a")),
      "Deletes SecretVersion `a`.",
    );
  });
});
