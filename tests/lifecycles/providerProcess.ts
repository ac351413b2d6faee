/** The real provider process over gRPC: a dynamic provider, or the packed plugin in the layer "plugin". */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { providerText } from "../../provider/src/providerText";
import { stopChild } from "../support/command";
import { listenAsEngine } from "../support/engineServer";
import { lifecyclesInProcess } from "./lifecyclesInProcess";
import { packedPlugin } from "./packedPlugin";
import {
  type Lifecycle,
  type ProviderProcess,
  type Resource,
  assertPrintable,
  connectToProvider,
} from "./providerCalls";

export type { Lifecycle, ProviderProcess } from "./providerCalls";

const root = join(__dirname, "..", "..");

/** The marker that the engine sends in place of a value that a preview does not know yet. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/**
 * Starts a process for one resource type, which TESTED_PROVIDER names: `dynamic` or `plugin`. Without it, starts no process,
 * and calls the lifecycles directly.
 *
 * @param engine the engine's address, which all processes of one run share
 */
export function startProvider(
  lifecycle: Lifecycle,
  environment: Record<string, string> = {},
  engine?: string,
  name = "orders",
): Promise<ProviderProcess> {
  if (process.env["TESTED_PROVIDER"] === "plugin") {
    const urn = urnOf(lifecycle, name);
    return startPlugin(urn, environment, engine);
  }
  const identity = lifecycle === "privateIpMode" ? name : undefined;
  if (process.env["TESTED_PROVIDER"] !== "dynamic") {
    const address = engine ?? newEngineAddress();
    const started = lifecyclesInProcess(lifecycle, environment, address, identity);
    return Promise.resolve(started);
  }
  const script = join(root, "node_modules/@pulumi/pulumi/cmd/dynamic-provider");
  const args = [script, engine ?? newEngineAddress()];
  const folder = join(root, "examples", "quickstart");
  const text = providerText(lifecycle);
  return connectTo(
    { file: process.execPath, args, folder, environment },
    identity === undefined ? { text } : { text, name: identity },
    (type) => ({ text: providerText(type) }),
  );
}

export function urnOf(type: Lifecycle, name = "orders"): string {
  const types = {
    privateIpMode: "PrivateIpMode",
    clusterConnectionStrings: "ClusterConnectionStrings",
    databaseUrl: "DatabaseUrl",
  };
  return `urn:pulumi:test::tested::clouddb:index:${types[type]}::${name}`;
}

/** Returns the address of an engine that does not listen. Each run gets a different address. */
function newEngineAddress(): string {
  const [a, b, c] = randomBytes(3);
  return `127.${a ?? 0}.${b ?? 0}.${c ?? 0}:1`;
}

/**
 * Starts the packed plugin.
 *
 * @param engine the address of a running engine. Default: one that only accepts connections
 */
async function startPlugin(
  urn: string,
  environment: Record<string, string> = {},
  engine?: string,
): Promise<ProviderProcess> {
  const ownEngine = engine === undefined ? await listenAsEngine() : undefined;
  const folder = packedPlugin();
  const address = engine ?? ownEngine?.address ?? "";
  // A signal would end only the shell that runs the .cmd file of Windows.
  const [file, ...args] =
    process.platform === "win32"
      ? [process.execPath, join(folder, "launcher.js"), address]
      : [join(folder, "pulumi-resource-clouddb"), address];
  const started = await connectTo({ file, args, folder, environment }, { urn }, (lifecycle) => ({
    urn: urnOf(lifecycle),
  }));
  return {
    ...started,
    stop: async () => {
      await started.stop();
      await ownEngine?.stop();
    },
  };
}

interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Record<string, string>;
}

async function connectTo(
  { file, args, folder, environment }: Start,
  resource: Resource,
  resourceOf: (lifecycle: Lifecycle) => Resource,
): Promise<ProviderProcess> {
  const { withoutSettings } = await import("../../scripts/environment.mjs");
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...withoutSettings(process.env), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const lines = createInterface(child.stdout).on("line", (line) => (output += `${line}\n`));
  const listening = new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    child.once("error", reject);
    child.once("close", () => {
      reject(new Error(`the provider process ended before it listened:\n${output}`));
    });
  });
  const port = await listening;
  const { configure, close, ...calls } = connectToProvider(port, resource);
  const closings = [close];
  const stop = async () => {
    for (const closeConnection of closings) closeConnection();
    await stopChild(child, "SIGTERM");
  };
  try {
    await configure();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...calls,
    resource: (lifecycle) => {
      const connection = connectToProvider(port, resourceOf(lifecycle));
      closings.push(connection.close);
      return connection;
    },
    output: () => output,
    port,
    pid: child.pid,
    async stop() {
      await stop();
      assertPrintable(output);
    },
  };
}
