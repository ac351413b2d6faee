/** The states that released versions recorded in tests/lifecycles/states, and the seed that they are from. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ClusterConnectionStringsArgs } from "pulumi-clouddb";
import type { Seed } from "../../simulator/src";

/** A resource that a released version recorded. Never change these files; add one for each release. */
interface Recorded {
  readonly what: string;
  readonly id: string;
  readonly args: ClusterConnectionStringsArgs;
  readonly state: Record<string, unknown>;
}

const folder = join(__dirname, "..", "lifecycles", "states");
const prefix = "clusterConnectionStrings-";

/** The seed with the project whose strings are in the states. Each cluster had three host names then. */
export const recordedSeed = JSON.parse(readFileSync(join(folder, "seed.json"), "utf8")) as Seed;
for (const cluster of recordedSeed.projects?.[0]?.clusters ?? []) cluster.nodes = 3;

/** Adds the options that the simulator's host lists did not have then. */
function withOptions(states: string): string {
  const added = "/?ssl=true&authSource=admin";
  return states
    .replace(/(db:\/\/[^"?]*)\/\?/g, `$1${added}&`)
    .replace(/(db:\/\/[^"?]*)"/g, `$1${added}"`);
}

/** The lookups that each release recorded, by its version. */
export const recordedLookups = new Map(
  readdirSync(folder)
    .filter((file) => file.startsWith(prefix))
    .map((file) => [
      file.slice(prefix.length, -".json".length),
      JSON.parse(withOptions(readFileSync(join(folder, file), "utf8"))) as Recorded[],
    ]),
);
