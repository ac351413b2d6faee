/** What a row does with its program, on the real engine. */
import assert from "node:assert/strict";
import { z } from "zod";

/** A step of a row. */
export interface Step {
  readonly name: string;
  /** Rejects if the step fails. */
  readonly run: (context: StepContext) => Promise<unknown>;
}

/** What steps need. */
export interface StepContext {
  /** Runs the Pulumi CLI in the folder of the program. Resolves with what it printed; rejects if it fails. */
  readonly pulumi: (...args: readonly string[]) => Promise<string>;
  /** Changes the setting that the program manages, outside of Pulumi. */
  readonly disablePrivateIpMode: () => void;
  /** The major version of Node.js that must run the program. */
  readonly node: number;
}

/** The steps, in the order they run. */
export const allSteps: readonly Step[] = [
  { name: "creation of the stack", run: ({ pulumi }) => pulumi("stack", "init", "test") },
  {
    name: "preview",
    run: async ({ pulumi }) => {
      assert.match(await pulumi("preview"), /again *: "db\+srv:\/\/orders\./);
    },
  },
  { name: "up", run: ({ pulumi }) => pulumi("up", "--yes", "--skip-preview") },
  {
    name: "outputs",
    run: async ({ pulumi, node }) => {
      const outputs = parseOutputs(await pulumi("stack", "output", "--json", "--show-secrets"));
      const { url, again, ...rest } = outputs;
      assert.match(String(url), /^db\+srv:\/\/app:p%40ss@orders\./);
      assert.match(String(again), /^db\+srv:\/\/orders\./);
      assert.deepEqual(rest, { legacy: true, isResource: true, isSecret: true, node });
    },
  },
  {
    name: "preview without changes",
    run: ({ pulumi }) => pulumi("preview", "--expect-no-changes"),
  },
  {
    name: "refresh",
    run: ({ pulumi }) => pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes"),
  },
  {
    // SDKs before 3.216.0 ignore the inputs that a provider reads, and the engine compares inputs.
    name: "preview of drift",
    run: async ({ pulumi, disablePrivateIpMode }) => {
      disablePrivateIpMode();
      assert.match(await pulumi("preview", "--refresh", "--diff"), /enabled *: false => true/);
    },
  },
  { name: "destroy", run: ({ pulumi }) => pulumi("destroy", "--yes", "--skip-preview") },
];

/** The steps without those that differ little between rows. */
export const mainSteps: readonly Step[] = allSteps.filter(
  ({ name }) => !["preview", "preview without changes", "refresh"].includes(name),
);

function parseOutputs(text: string): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}
