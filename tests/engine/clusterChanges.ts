/** Resources of another provider, which change clusters of the service while an update runs. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import type { OutputMap } from "@pulumi/pulumi/automation";
import { useCleanup } from "../support/cleanup";
import type { Service } from "../support/service";

/** What a resource does to a cluster when it is created or updated. */
export interface ChangeArgs {
  readonly cluster: string;
  /** How long it takes before the action, in seconds. */
  readonly seconds: number;
  /** How long it takes after the action, in seconds. Default: 0 */
  readonly secondsAfter?: number;
  /** `moves` changes the host name to `<cluster>-<generation>`. */
  readonly action: "moves" | "upgrades" | "deletes";
  /** Another number changes the cluster again. */
  readonly generation: number;
}

/** A change of a cluster. `cluster` is its name, which is known when the change has ended. */
export type Change = pulumi.Resource & { readonly cluster: pulumi.Output<string> };

/** Registers the hooks that start a server that changes clusters. Returns a function that declares a change. */
export function useClusterChanges(
  service: Service,
): (name: string, args: ChangeArgs, options?: pulumi.CustomResourceOptions) => Change {
  const cleanup = useCleanup("file");
  let url = "";

  before("start a server that changes clusters", async () => {
    const change = async ({
      cluster,
      seconds,
      secondsAfter = 0,
      action,
      generation,
    }: ChangeArgs) => {
      await sleep(seconds * 1000);
      const project = service.project();
      if (action === "deletes") project.removeCluster(cluster);
      else if (action === "upgrades") project.updateCluster(cluster, { version: "7.0.12" });
      else project.updateCluster(cluster, { hostName: `${cluster}-${generation}` });
      await sleep(secondsAfter * 1000);
    };
    const server = createServer((request, response) => {
      const args = new URL(request.url ?? "", "http://localhost").searchParams.get("args") ?? "";
      void change(JSON.parse(args) as ChangeArgs).finally(() => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanup(() => server.close());
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  class RemoteChange extends pulumi.dynamic.Resource {
    declare readonly cluster: pulumi.Output<string>;

    constructor(name: string, args: ChangeArgs, options?: pulumi.CustomResourceOptions) {
      const request = `${url}/?args=${encodeURIComponent(JSON.stringify(args))}`;
      const send = async (inputs: { request: string; cluster: string }) => {
        await fetch(inputs.request);
        return { outs: inputs };
      };
      const provider = {
        create: async (inputs: { request: string; cluster: string }) => {
          return { id: "1", ...(await send(inputs)) };
        },
        update: (_id: string, _olds: unknown, inputs: { request: string; cluster: string }) =>
          send(inputs),
      };
      super(provider, name, { request, cluster: args.cluster }, options);
    }
  }
  return (name, args, options) => new RemoteChange(name, args, options);
}

/** Checks that each output has the string of the cluster `orders` after its first change. */
export function assertAllNew(outputs: OutputMap, count: number): void {
  assert.equal(Object.keys(outputs).length, count);
  const isNew = ({ value }: { value: unknown }) => /^db\+srv:\/\/orders-1\./.test(String(value));
  const old = Object.entries(outputs).filter(([, output]) => !isNew(output));
  assert.deepEqual(old, []);
}
