/** The real engine's calls, which tests/interleavings repeats. `RECORD_CALLS=1` writes them to engineCalls.json. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type * as pulumi from "@pulumi/pulumi";
import type { ServedProvider } from "../../plugin/src/server";
import { type Declared, comparable, describeCall, scenarios } from "../interleavings/programs";
import { twoProjects } from "../interleavings/service";
import * as plugin from "./attachedPlugin";
import { useStack } from "./useStack";

const file = join(__dirname, "..", "interleavings", "engineCalls.json");

/** Returns a provider that adds a line for each call about a resource. */
function recordCalls(provider: ServedProvider, calls: string[]): ServedProvider {
  const methods = ["check", "diff", "create", "read", "update", "delete"] as const;
  return new Proxy(provider, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      const method = methods.find((known) => known === name);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        const [urn, olds] = args;
        const isPreview = args.some(
          (arg) => typeof arg === "object" && arg !== null && Reflect.get(arg, "preview") === true,
        );
        const hasOlds = method === "check" && Object.keys(olds ?? {}).length > 0;
        if (method) calls.push(describeCall({ method, urn: String(urn), isPreview, hasOlds }));
        return value.apply(target, args) as unknown;
      };
    },
  });
}

function run(program: readonly Declared[]): Promise<Record<string, never>> {
  const declared = new Map<string, pulumi.Resource>();
  for (const { type, name, inputs, dependsOn } of program) {
    const options = { dependsOn: dependsOn.flatMap((needed) => declared.get(needed) ?? []) };
    declared.set(name, new plugin[type](name, { ...inputs }, options));
  }
  return Promise.resolve({});
}

describe("the order of the engine's calls", () => {
  const calls: string[] = [];
  const { createInline } = useStack({
    seed: twoProjects,
    wrapPlugin: (provider) => recordCalls(provider, calls),
  });

  it("matches the recording that tests/interleavings uses", async () => {
    const recorded: Record<string, string[]> = {};
    for (const scenario of scenarios) {
      const { title, operations } = scenario;
      const { stack, program } = await createInline(() => Promise.resolve({}));
      recorded[title] = [];
      for (const operation of operations) {
        calls.splice(0);
        if (operation.verb === "up") {
          program(() => run(operation.program));
          const urns = (await stack.exportStack()).deployment as { resources?: { urn: string }[] };
          const replace = (urns.resources ?? [])
            .map(({ urn }) => urn)
            .filter(
              (urn) => operation.replace !== undefined && urn.endsWith(`::${operation.replace}`),
            );
          await stack.preview({ replace, refresh: operation.refresh === true });
          await stack.up({ replace, refresh: operation.refresh === true });
        } else if (operation.verb === "refresh") await stack.refresh();
        else await stack.destroy({ refresh: operation.refresh === true });
        recorded[title].push(comparable(scenario, calls));
      }
    }
    if (process.env["RECORD_CALLS"] !== undefined) {
      writeFileSync(file, `${JSON.stringify(recorded, undefined, 2)}\n`);
    }
    assert.deepEqual(recorded, JSON.parse(readFileSync(file, "utf8")));
  });
});
