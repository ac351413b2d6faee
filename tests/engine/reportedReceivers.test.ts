/** What a report says of receivers of strings, compared with what the update then changes, on the real engine. */
import assert from "node:assert/strict";
import type { EngineEvent, OutputValue, PulumiFn } from "@pulumi/pulumi/automation";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import { buildReport } from "../../provider/src/report/decide/buildReport";
import type { Report } from "../../provider/src/report/model";
import { readStackExport } from "../../provider/src/report/read/stackExport";
import { type ResourceName, parseUrn } from "../../provider/src/report/resourceNames";
import { markdown } from "../../provider/src/report/write/markdown";
import { isObject } from "../../provider/src/validation/values";
import { projectId } from "../support/service";
import { eventLog } from "../unit/report/recorded";
import * as plugin from "./attachedPlugin";
import { useClusterChanges } from "./clusterChanges";
import { Other } from "./otherResources";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

const kinds = { npm: clouddb, plugin } as const;

/** What a step of the test changes in the program. */
interface Settings {
  readonly network: { readonly kind: "peering" } | { readonly kind: "internet" };
  readonly username: string;
  readonly keeper: number;
  readonly generation: number;
}

describe("the receivers in a report", () => {
  const { service, createInline } = useStack();
  const changeCluster = useClusterChanges(service);

  const program =
    ({ network, username, keeper, generation }: Settings): PulumiFn =>
    () => {
      const move = { cluster: "orders", seconds: 0, action: "moves", generation } as const;
      const cluster = changeCluster("cluster", move);
      const keep = { data: keeper, isReplaced: true };
      const { value: password } = new Other("RandomPassword", "password", keep, {
        additionalSecretOutputs: ["value"],
      });
      const outputs: Record<string, unknown> = {};
      for (const [kind, { ClusterConnectionStrings, DatabaseUrl }] of Object.entries(kinds)) {
        const args = { projectId, clusterName: "orders", network };
        const lookup = new ClusterConnectionStrings(kind, args, { dependsOn: [cluster] });
        const { recommended } = lookup;
        const credentials = { connectionString: recommended, username, database: "shop" };
        const fixed = new DatabaseUrl(kind, { ...credentials, password: "never-shown" });
        const replaced = new DatabaseUrl(`${kind}-replaced`, { ...credentials, password });
        const own = recommended.apply((text) => text.replace("://", "://app:never-shown@"));
        new Other("Secret", `${kind}-own`, { data: pulumi.secret(own) });
        new Other("Secret", `${kind}-url`, { data: fixed.url });
        new Other("Config", `${kind}-name`, { data: lookup.id });
        for (const [name, url] of Object.entries({ fixed: fixed.url, replaced: replaced.url })) {
          url.apply((data) => new Other("SecretVersion", `${kind}-${name}`, { data }));
        }
        outputs[`${kind}Plain`] = recommended;
        outputs[`${kind}Command`] = pulumi.interpolate`mongosh ${recommended} --quiet`;
        outputs[`${kind}Template`] = own.apply((text) =>
          text.replace("never-shown", "${PASSWORD}"),
        );
        outputs[`${kind}Secret`] = fixed.url;
        outputs[`${kind}Both`] = { recommended, url: fixed.url };
        outputs[`${kind}Leak`] = pulumi.unsecret(fixed.url);
        outputs[`${kind}Nothing`] = "nothing";
      }
      return Promise.resolve(outputs);
    };

  /**
   * `named`: the resources that the report names as receivers. `inside`: those inside `apply`, of which the state does not
   * know what they receive. `outputs`: those with a new plain text. `text`: what the report says besides.
   */
  const steps = [
    {
      change: { network: { kind: "internet" } },
      named: ["own", "url"],
      inside: ["fixed", "replaced"],
      outputs: ["Both", "Command", "Leak", "Plain", "Template"],
      text: /Output `npmLeak` has a password for database user `app` in plain text\./,
    },
    {
      change: { username: "b" },
      named: ["url"],
      inside: ["fixed", "replaced"],
      outputs: ["Leak"],
      text: /Output `pluginLeak` has a password for database user `b` in plain text\./,
    },
    {
      // The preview does not know the new password, and shows what is inside `apply` as deleted.
      change: { keeper: 2 },
      named: [],
      inside: ["replaced"],
      outputs: [],
      text: /If the program declares them inside `apply` of the URLs of `npm-replaced`, `plugin-replaced`, the update may keep them\./,
    },
    {
      // The preview shows only the change of the cluster.
      change: { generation: 2 },
      named: ["own", "url"],
      inside: ["fixed", "replaced"],
      outputs: ["Both", "Command", "Leak", "Plain", "Template"],
      text: /After Resource `cluster` changes \(`request`\), `npm`, `plugin` are looked up again/,
    },
  ] as const;

  it("are what the update changes", async () => {
    let settings: Settings = {
      network: { kind: "peering" },
      username: "app",
      keeper: 1,
      generation: 1,
    };
    const tested = await createInline(program(settings));
    await tested.stack.up();
    for (const { change, named, inside, outputs, text } of steps) {
      settings = { ...settings, ...change };
      tested.program(program(settings));
      const report = await reportOf(tested);
      const markdownText = markdown(report);
      const updated = await update(tested);
      const what = `${JSON.stringify(change)}\n${markdownText}`;
      assert.deepEqual(updated.resources, ofBoth("-", [...named, ...inside]), what);
      assert.deepEqual(updated.plainOutputs, ofBoth("", outputs), what);
      const expected = { resources: ofBoth("-", named), outputs: ofBoth("", outputs) };
      assert.deepEqual(receiversIn(report), expected, what);
      assert.match(markdownText, text);
      assert.doesNotMatch(markdownText, /never-shown|Template` has a password/);
    }
    const { changeSummary } = await tested.stack.preview();
    assert.deepEqual(Object.keys(changeSummary), ["same"]);
  });

  const ofBoth = (separator: string, names: readonly string[]) =>
    Object.keys(kinds)
      .flatMap((kind) => names.map((name) => `${kind}${separator}${name}`))
      .sort();

  async function reportOf({ stack }: TestStack<PulumiFn>): Promise<Report> {
    const state = readStackExport(JSON.stringify(await stack.exportStack()), "the state");
    const events: EngineEvent[] = [];
    await stack.preview({ onEvent: (event) => events.push(event) });
    return buildReport({ preview: eventLog(events), state });
  }

  /** Returns what an update changes of the resources that receive strings, and of the plain outputs. */
  async function update({ stack }: TestStack<PulumiFn>) {
    const before = await stack.outputs();
    const events: EngineEvent[] = [];
    await stack.up({ onEvent: (event) => events.push(event) });
    const after = await stack.outputs();
    const changed = events.flatMap(({ resOutputsEvent }) => {
      const { op = "same", urn = "" } = resOutputsEvent?.metadata ?? {};
      const { type, name } = parseUrn(urn);
      return op !== "same" && isReceiver({ type }) ? [name] : [];
    });
    const isNew = (name: string) => textOf(after[name]) !== textOf(before[name]);
    return { resources: changed.sort(), plainOutputs: Object.keys(after).filter(isNew).sort() };
  }

  /** Returns the plain text of an output, or of the part of it that is not secret. */
  function textOf(output: OutputValue | undefined): string {
    const value: unknown = output?.value;
    if (isObject(value)) return String(value["recommended"]);
    return output?.secret === true ? "[secret]" : String(value);
  }

  function isReceiver({ type }: Pick<ResourceName, "type">): boolean {
    return /app:(?:Secret|SecretVersion)$/.test(type);
  }

  /** Returns the receivers in a report, without a Config, which uses another value of a lookup than its string. */
  function receiversIn({ changes, laterLookups }: Report) {
    const strings = changes.filter((change) => change.type !== "PrivateIpMode");
    const all = [...strings.map(({ receivers }) => receivers), laterLookups];
    const found = all.filter((receivers) => receivers !== undefined);
    const resources = found
      .flatMap(({ direct, further }) => [...direct, ...further])
      .filter(isReceiver)
      .map(({ name }) => name);
    const outputs = found.flatMap((receivers) => receivers.outputs);
    return { resources: [...new Set(resources)].sort(), outputs: [...new Set(outputs)].sort() };
  }
});
