import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "clouddb-simulator";
import { useProvider } from "../useProvider";

/** A resource that a released version recorded. Never change these files; add one for each release. */
interface Recorded {
  readonly what: string;
  readonly id: string;
  readonly args: Record<string, unknown>;
  readonly state: Record<string, unknown>;
}

const folder = join(__dirname, "..", "states");
const prefix = "clusterConnectionStrings-";
/** The seed with the project whose strings are in the states: then, each cluster had three host names. */
const seed = JSON.parse(readFileSync(join(folder, "seed.json"), "utf8")) as Seed;
for (const cluster of seed.projects?.[0]?.clusters ?? []) cluster.nodes = 3;
const versions = readdirSync(folder).filter((file) => file.startsWith(prefix));

/** Adds the options that the simulator's host lists did not have then. */
function withOptions(state: string): string {
  const added = "/?ssl=true&authSource=admin";
  return state
    .replace(/(db:\/\/[^"?]*)\/\?/g, `$1${added}&`)
    .replace(/(db:\/\/[^"?]*)"/g, `$1${added}"`);
}

describe("ClusterConnectionStrings with the state of a released version", () => {
  const { provider } = useProvider("clusterConnectionStrings", { seed, lifetime: "file" });

  for (const file of versions) {
    const version = file.slice(prefix.length, -".json".length);
    const text = withOptions(readFileSync(join(folder, file), "utf8"));
    const resources = JSON.parse(text) as Recorded[];

    for (const { what, id, args, state } of resources) {
      describe(`${version}, ${what}`, () => {
        it("shows no change if the strings are the same", async () => {
          const { inputs, failures } = await provider.check(args, state);
          assert.deepEqual(failures, []);
          assert.deepEqual(await provider.diff(id, state, inputs), {
            changes: false,
            replaces: [],
          });
        });

        it("updates a changed output", async () => {
          const { inputs } = await provider.check(args, state);
          const before = { ...state, databaseVersion: "1.0.0" };
          assert.deepEqual(await provider.diff(id, before, inputs), {
            changes: true,
            replaces: [],
          });
          assert.deepEqual(await provider.update(id, before, inputs), inputs);
        });

        it("is replaced when the cluster changes", async () => {
          const { replaces } = await provider.diff(id, state, { ...state, clusterName: "other" });
          assert.deepEqual(replaces, ["clusterName"]);
        });

        it("is unchanged by a refresh, and can be deleted", async () => {
          const read = await provider.read(id, state);
          assert.equal(read.id, id);
          // Earlier versions omitted outputs that the cluster lacks.
          const present = Object.entries(read.props).filter(([, value]) => value !== null);
          assert.deepEqual(Object.fromEntries(present), state);
          assert.equal((await provider.diff(id, state, read.inputs)).changes, false);
          await provider.delete(id, state);
        });
      });
    }
  }

  it("covers version 0.1.0", () => {
    assert.ok(versions.includes(`${prefix}0.1.0.json`));
  });
});
