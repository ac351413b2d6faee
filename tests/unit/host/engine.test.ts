import assert from "node:assert/strict";
import net from "node:net";
import {
  EngineWatch,
  closeOnSignal,
  createEngineLog,
  engineAddress,
  modulesOfPulumi,
} from "../../../provider/src/host/engine";
import { useCleanup } from "../../support/cleanup";
import { listenAsEngine, startEngineServer } from "../../support/engineServer";
import { startMisbehavingProxy, withoutProxy } from "../../support/proxy";
import { safe, unsafe } from "./unsafeText";

describe("the watch of the engine", () => {
  const watchOf = (address: string | undefined) => new EngineWatch(() => address);

  it("reports the engine as gone if it stopped after the first operation", async () => {
    const { address, stop } = await listenAsEngine();
    const watch = watchOf(address);
    watch.start();
    assert.equal(await watch.isGone(), false);
    await stop();
    watch.start();
    assert.equal(await watch.isGone(), true);
  });

  it("does not report the engine as gone if it never accepted a connection, or has no address", async () => {
    const { address, stop } = await listenAsEngine();
    await stop();
    for (const unreachable of [address, undefined]) {
      const watch = watchOf(unreachable);
      watch.start();
      assert.equal(await watch.isGone(), false);
    }
  });

  for (const [what, event, error] of [
    ["does not respond in time", "timeout", undefined],
    ["cannot be reached for another reason than a refusal", "error", { code: "ETIMEDOUT" }],
  ] as const) {
    it(`does not report the engine as gone if it ${what}`, async () => {
      const { address } = await listenAsEngine();
      const watch = watchOf(address);
      watch.start();
      assert.equal(await watch.isGone(), false);
      const { connect } = net;
      const timeouts: unknown[] = [];
      net.connect = (options: unknown) => {
        timeouts.push(Reflect.get(Object(options), "timeout"));
        const socket = new net.Socket();
        setImmediate(() => socket.emit(event, Object.assign(new Error(), error)));
        return socket;
      };
      try {
        assert.equal(await watch.isGone(), false);
      } finally {
        net.connect = connect;
      }
      assert.deepEqual(timeouts, [5000]);
    });
  }
});

describe("the address of the engine", () => {
  for (const [argument, address] of [
    ["127.0.0.1:4000", "127.0.0.1:4000"],
    ["not-an-address", undefined],
  ] as const) {
    it(`is ${String(address)} if the last argument of the process is ${argument}`, () => {
      process.argv.push(argument);
      try {
        assert.equal(engineAddress(), address);
      } finally {
        process.argv.pop();
      }
    });
  }
});

describe("a process that closes on signals", () => {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;
  const { platform } = process;
  const kill = process.kill.bind(process);
  afterEach(() => {
    Object.defineProperty(process, "platform", { value: platform });
    process.kill = kill;
  });

  for (const [system, signal, last] of [
    ["linux", "SIGHUP", "SIGHUP"],
    ["win32", "SIGHUP", "SIGTERM"],
    ["win32", "SIGBREAK", "SIGTERM"],
  ] as const) {
    it(`closes and then ends with ${last} after ${signal} on ${system}`, async () => {
      Object.defineProperty(process, "platform", { value: system });
      const calls: unknown[] = [];
      const ended = new Promise<void>((resolve) => {
        process.kill = (_pid, sent) => {
          calls.push(sent);
          resolve();
          return true;
        };
      });
      const own = new Set(signals.flatMap((name) => process.listeners(name)));
      closeOnSignal(() => Promise.resolve(calls.push("close")).then(() => undefined));
      process.emit(signal, signal);
      await ended;
      for (const name of signals) {
        for (const listener of process.listeners(name)) {
          if (!own.has(listener)) process.off(name, listener);
        }
      }
      assert.deepEqual(calls, ["close", last]);
    });
  }
});

describe("the engine log", () => {
  const cleanup = useCleanup("test");
  const urn = "urn:pulumi:test::tested::clouddb:index:PrivateIpMode::orders";

  it("sends escaped messages to the engine, with progress as ephemeral", async () => {
    const engine = await startEngineServer(cleanup);
    const log = createEngineLog({
      engineAddress: () => engine.address,
      modules: modulesOfPulumi,
      resource: () => urn,
    });
    await log("warning", unsafe);
    await log("progress", unsafe);
    assert.deepEqual(engine.messages, [
      { message: safe, ephemeral: false, urn },
      { message: safe, ephemeral: true, urn },
    ]);
  });

  for (const variable of ["grpc_proxy", "https_proxy", "http_proxy"]) {
    it(`does not use the proxy in ${variable}`, async () => {
      const engine = await startEngineServer(cleanup);
      const proxy = await startMisbehavingProxy((client) => client.destroy());
      const environment = process.env;
      process.env = { ...withoutProxy(environment), [variable]: proxy.url, NO_PROXY: "127.0.0.1" };
      try {
        const { address } = engine;
        const log = createEngineLog({ engineAddress: () => address, modules: modulesOfPulumi });
        await log("warning", "a warning");
      } finally {
        process.env = environment;
        proxy.stop();
      }
      assert.deepEqual(
        engine.messages.map(({ message }) => message),
        ["a warning"],
      );
      assert.equal(proxy.connections.length, 0);
    });
  }

  it("writes escaped messages to standard error if there is no engine", async () => {
    const written: unknown[] = [];
    const { error } = console;
    console.error = (...values: unknown[]) => void written.push(...values);
    try {
      await createEngineLog({ engineAddress, modules: modulesOfPulumi })("warning", unsafe);
    } finally {
      console.error = error;
    }
    assert.deepEqual(written, [`warning: ${safe}`]);
  });
});
