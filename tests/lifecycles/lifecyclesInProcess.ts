/**
 * The lifecycles without a provider process, which would take most of the tests' time
 * (docs/internals/decisions.md#0017-test-time), with the calls of {@link ProviderProcess}. Mutation testing uses them
 * because it activates its mutants in the process of the tests.
 */
import assert from "node:assert/strict";
import { InitializationError } from "../../provider/src/messages/errors";
import { RuntimeHost } from "../../provider/src/runtimeHost";
import { checkCode, checkReported } from "../support/messageCodes";
import { type SettingsSource, environmentVariable } from "../../provider/src/settings/settings";
import type { Lifecycle, Properties, ProviderCalls, ProviderProcess } from "./providerCalls";

/** Creates the lifecycles of one process, and returns the calls for one resource type. */
export function lifecyclesInProcess(
  lifecycle: Lifecycle,
  environment: Record<string, string>,
  engine: string,
  name: string | undefined,
): ProviderProcess {
  let output = "";
  const source: SettingsSource = {
    owner: { kind: "stack" },
    get: (key) => environment[environmentVariable(key)],
    keys: () => [],
  };
  const host = new RuntimeHost({
    log: (severity, words, code) => {
      const message = words;
      if (severity === "warning") checkCode(message, code);
      output += `${severity}: ${message}\n`;
      return Promise.resolve();
    },
    engineAddress: () => engine,
  });
  host.settings = source;
  const resource = (type: Lifecycle) =>
    callsOf(host[type], type === "privateIpMode" ? name : undefined);
  return {
    ...resource(lifecycle),
    resource,
    output: () => output,
    port: "",
    pid: process.pid,
    stop: () => {
      host.cancel();
      return Promise.resolve();
    },
  };
}

type Tested = RuntimeHost[Lifecycle];

/** Returns the calls for the resources of one type. */
function callsOf(lifecycle: Tested, name: string | undefined): ProviderCalls {
  const identity = name === undefined ? {} : { __resource: name };
  const call = async <T>(operation: (tested: Tested) => Promise<T>): Promise<T> => {
    try {
      return await operation(lifecycle);
    } catch (error) {
      if (error instanceof Error) checkReported(error.message);
      if (!(error instanceof InitializationError)) {
        throw error instanceof Error ? new Error(error.stack) : error;
      }
      const { id, stack, properties } = error;
      throw Object.assign(new Error(stack), { id, properties: asReceived(properties) });
    }
  };
  return {
    check: (news, olds = {}) =>
      call(async (tested) => {
        const { inputs = {}, failures = [] } = await tested.check(
          asSent(olds),
          asSent({ ...identity, ...news }),
        );
        for (const { reason } of failures) checkReported(reason);
        return { inputs: asReceived(inputs), failures };
      }),
    diff: (id, olds, news) =>
      call(async (tested) => {
        const { changes, replaces } = await tested.diff(id, asSent(olds), asSent(news));
        return { changes, replaces };
      }),
    create: (inputs) =>
      call(async (tested) => {
        const { id, outs } = await tested.create(asSent(inputs));
        return { id, outs: asReceived(outs) };
      }),
    read: (recordedId, recorded) =>
      call(async (tested) => {
        const {
          id = "",
          props = {},
          inputs = {},
        } = await tested.read(recordedId, asSent(recorded));
        return { id, props: asReceived(props), inputs: asReceived(inputs) };
      }),
    update: (id, olds, news) =>
      call(async (tested) =>
        asReceived((await tested.update(id, asSent(olds), asSent(news))).outs),
      ),
    delete: (id, props) => call((tested) => tested.delete(id, asSent(props))),
  };
}

/** Copies properties as a message does, without undefined values. */
function asSent(properties: Properties): Properties {
  return JSON.parse(JSON.stringify(properties)) as Properties;
}

/** Copies what an operation returns. A provider process refuses values that are undefined. */
function asReceived(properties: Properties): Properties {
  assert.ok(!Object.values(properties).includes(undefined), "a returned value is undefined");
  return asSent(properties);
}
