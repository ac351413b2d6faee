/**
 * Programs in the shapes in which teams pass connection strings on, through all that can change in their stack. Each
 * report must say what its update then does.
 */
import assert from "node:assert/strict";
import type { EngineEvent, PulumiFn } from "@pulumi/pulumi/automation";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import { buildReport } from "../../provider/src/report/decide/buildReport";
import { readStackExport } from "../../provider/src/report/read/stackExport";
import { markdown } from "../../provider/src/report/write/markdown";
import { projectId } from "../support/service";
import { eventLog } from "../unit/report/recorded";
import * as plugin from "./attachedPlugin";
import { useClusterChanges } from "./clusterChanges";
import { Other } from "./otherResources";
import { type TestStack, stateFile } from "./stack";
import { useStack } from "./useStack";

describe("a report of programs that pass strings on", () => {
  const { service, createInline } = useStack();
  const changeCluster = useClusterChanges(service);
  const peering = { kind: "peering" } as const;

  /** A Secret from the own `replace` of a program, and one from a DatabaseUrl. */
  function secrets(password: string): pulumi.Inputs {
    const args = { projectId, clusterName: "orders", network: peering };
    const { recommended } = new plugin.ClusterConnectionStrings("orders", args);
    const own = recommended.apply((text) => text.replace("://", `://app:${password}@`));
    new Other("Secret", "own", { data: { DATABASE_URL: pulumi.secret(own) } });
    const app = { connectionString: recommended, username: "app", password };
    const { url } = new plugin.DatabaseUrl("database", app);
    const secret = new Other("Secret", "secret", { data: { DATABASE_URL: url } });
    new Other("Deployment", "api", { secret: secret.id });
    return { own: pulumi.secret(own), url };
  }

  /** A version of a secret inside `apply` of a URL, and a task inside `apply` of that, for each kind of password. */
  function versions(password: string, generation: number): pulumi.Inputs {
    const args = { projectId, clusterName: "orders", network: peering };
    const { recommended } = new clouddb.ClusterConnectionStrings("jobs", args);
    const { value: random } = new Other(
      "RandomPassword",
      "random",
      { data: generation, isReplaced: true },
      { additionalSecretOutputs: ["value"] },
    );
    const declare = (name: string, secret: pulumi.Input<string>) => {
      const app = { connectionString: recommended, username: name, password: secret };
      const { url } = new clouddb.DatabaseUrl(name, app);
      url
        .apply((text) => new Other("SecretVersion", name, { data: text, isReplaced: true }))
        .apply(({ value }) => new Other("Task", name, { data: value }));
      return url;
    };
    return { configured: declare("configured", password), random: declare("random", random) };
  }

  /** The host, the port and the options of a list of hosts, as three keys. */
  function keys(): pulumi.Inputs {
    const args = { projectId, clusterName: "orders" };
    const { standard } = new plugin.ClusterConnectionStrings("keys", args);
    const parts = standard.apply((text = "") => {
      const [, host, port, options] = /:\/\/([^:,]+):(\d+)[^?]*\?(.*)/.exec(text) ?? [];
      return { host, port, options };
    });
    new Other("ConfigMap", "keys", { data: parts });
    return { host: parts.host };
  }

  /** Lookups on a cluster of the program, through a project and through a component. */
  function ownCluster(generation: number): pulumi.Inputs {
    const component = new pulumi.ComponentResource("app:index:Database", "database");
    const change = { cluster: "billing", seconds: 0, action: "moves", generation } as const;
    const { cluster } = changeCluster("main", change, { parent: component });
    const project = new Other("Project", "project", { data: cluster });
    const id = project.id.apply(() => projectId);
    const Lookup = clouddb.ClusterConnectionStrings;
    const byProject = new Lookup("byProject", { projectId: id, clusterName: "billing" });
    const args = { projectId, clusterName: "billing" };
    const byComponent = new Lookup("byComponent", args, { dependsOn: [component] });
    new Other("Secret", "billing", { data: byComponent.recommended });
    return { byProject: byProject.recommended, byComponent: byComponent.recommended };
  }

  it("says what the update then does", async () => {
    let settings = { password: "first", generated: 1, cluster: 1 };
    const program = () =>
      Promise.resolve({
        ...secrets(settings.password),
        ...versions(settings.password, settings.generated),
        ...keys(),
        ...ownCluster(settings.cluster),
      });
    const tested = await createInline(program);
    // If an update left anything to do, the next preview would plan more steps.
    const update = async (change: Partial<typeof settings> = {}) => {
      settings = { ...settings, ...change };
      const { report, planned } = await previewed(tested);
      const { outputs, summary } = await tested.stack.up();
      const strings = Object.values(outputs).map(({ value }) => String(value));
      return { report, planned, done: summary.resourceChanges, strings: strings.join(" ") };
    };

    const first = await update();
    // The version and the task of a password that does not exist yet are in no preview.
    assert.deepEqual([first.planned, first.done], [{ create: 20 }, { create: 22 }]);

    service.project().updateCluster("orders", { hostName: "moved" });
    const moved = await update();
    assert.deepEqual(moved.planned, { replace: 2, same: 9, update: 11 });
    assert.deepEqual(moved.done, moved.planned);
    assert.doesNotMatch(moved.strings, /\/\/orders/);
    assert.deepEqual(moved.report, [
      "> Replaces SecretVersion `configured`, `random`.",
      "| `configured` | `db+srv://configured:[secret]@orders-pri` | `db+srv://configured:[secret]@moved-pri` |  |",
      "| `database` | `db+srv://app:[secret]@orders-pri` | `db+srv://app:[secret]@moved-pri` | `api` `secret` |",
      "| `host` | `orders-shard-00-00` | `moved-shard-00-00` |",
      "| `jobs` | `db+srv://orders-pri` | `db+srv://moved-pri` | `configured` `random` |",
      "| `keys` | `db+srv://orders` | `db+srv://moved` | `keys` |",
      "| `orders` | `db+srv://orders-pri` | `db+srv://moved-pri` | `api` `database` `own` `secret` |",
      "| `random` | `db+srv://random:[secret]@orders-pri` | `db+srv://random:[secret]@moved-pri` |  |",
    ]);

    const configured = await update({ password: "second" });
    assert.deepEqual(configured.planned, { replace: 1, same: 16, update: 5 });
    assert.deepEqual(configured.done, configured.planned);
    assert.equal(configured.strings.match(/:second@moved-pri/g)?.length, 3);
    assert.deepEqual(configured.report, [
      "> Replaces SecretVersion `configured`.",
      "| `configured` | `db+srv://configured:[secret]@moved-pri` | `db+srv://configured:[secret]@moved-pri` |",
      "| `database` | `db+srv://app:[secret]@moved-pri` | `db+srv://app:[secret]@moved-pri` | `api` `secret` |",
    ]);

    const generated = await update({ generated: 2 });
    // Pulumi does not run `apply` on a URL that it does not know.
    assert.deepEqual(generated.planned, { delete: 2, replace: 1, same: 18, update: 1 });
    assert.deepEqual(generated.done, { replace: 2, same: 18, update: 2 });
    assert.deepEqual(generated.report, [
      "> Deletes Task `random`, SecretVersion `random`. If the program declares them inside `apply` of the URL of `random`, the update may keep them.",
      "> Replaces RandomPassword `random`.",
      "| `random` | `[secret]` | `(known after the update)` |",
      "| `random` | `db+srv://random:[secret]@moved-pri` | `db+srv://random:[secret]@moved-pri` |",
    ]);

    const cluster = await update({ cluster: 2 });
    assert.deepEqual(cluster.planned, { same: 21, update: 1 });
    assert.deepEqual(cluster.done, { same: 18, update: 4 });
    assert.equal(cluster.strings.match(/\/\/billing-2/g)?.length, 2);
    assert.deepEqual(cluster.report, [
      "After Resource `main` changes (`request`), `byComponent`, `byProject` are looked up again in this update, so their strings can differ from those shown here. They are used by Secret `billing`; outputs `byComponent`, `byProject`.",
    ]);

    assert.deepEqual((await tested.stack.preview()).changeSummary, { same: 22 });
    await tested.stack.destroy();
  });
});

/** Previews a stack. Returns the sorted sentences and rows of the report, and the number of resources by step. */
async function previewed({ stack }: TestStack<PulumiFn>) {
  const events: EngineEvent[] = [];
  const { changeSummary } = await stack.preview({ onEvent: (event) => events.push(event) });
  const { checkpoint } = JSON.parse(stateFile(stack)) as { checkpoint: { latest: unknown } };
  const recorded = JSON.stringify({ deployment: checkpoint.latest });
  const state = readStackExport(recorded, "the state");
  const lines = markdown(buildReport({ preview: eventLog(events), state })).split("\n");
  return {
    report: lines
      .filter((line) => /^(?:\| `|> [^[]|After )/.test(line))
      .map((line) => line.replaceAll(".cmrd8.clusters.example", "").replace(/<br>$/, ""))
      .map((line) => line.replace(/(?<=\| )[A-Z][^|]*(?= \|$)/, sortedNames))
      .sort(),
    planned: changeSummary,
  };
}

/** Returns the names in a list of receivers, whose order is that in which an update ended. */
function sortedNames(receivers: string): string {
  return (receivers.match(/`[^`]+`/g) ?? []).sort().join(" ");
}
