/**
 * The real provider process, called over gRPC as the engine calls it. It runs in the quickstart's
 * folder, so that it finds pulumi-clouddb as a user's program would.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { providerText } from "../../provider/src/program/providerText";
import { stopChild } from "../command";
import { type ProviderCalls, assertPrintable, connectToProvider } from "./providerCalls";

/** The marker that the engine sends in place of a value that a preview does not know yet. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export type Lifecycle = "privateIpMode" | "clusterConnectionStrings";

export interface ProviderProcess extends ProviderCalls {
  /** Returns everything that the process wrote to standard output and error. */
  readonly output: () => string;
  /** The process ID. */
  readonly pid: number | undefined;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a process for one resource type.
 *
 * @param configuration the stack's configuration
 * @param engine the engine's address, which all processes of one run share
 */
export function startProvider(
  lifecycle: Lifecycle,
  configuration: Record<string, string>,
  environment: Record<string, string> = {},
  engine: string = newEngineAddress(),
): Promise<ProviderProcess> {
  return startProcess(providerText(lifecycle), configuration, environment, { engine });
}

/** Returns the address of an engine that does not listen. Each run gets a different address. */
export function newEngineAddress(): string {
  const [a, b, c] = randomBytes(3);
  return `127.${a ?? 0}.${b ?? 0}.${c ?? 0}:1`;
}

const root = join(__dirname, "..", "..");

/**
 * Starts a process for a serialized provider.
 *
 * @param text the provider, as recorded in each resource's state
 */
export async function startProcess(
  text: string,
  configuration: Record<string, string>,
  environment: Record<string, string> = {},
  {
    folder = join(root, "examples", "quickstart"),
    engine = newEngineAddress(),
  }: { readonly folder?: string; readonly engine?: string } = {},
): Promise<ProviderProcess> {
  const { withoutSettings } = await import("../../tools/environment.mjs");
  const child = spawn(
    process.execPath,
    [join(root, "node_modules/@pulumi/pulumi/cmd/dynamic-provider"), engine],
    {
      cwd: folder,
      env: { ...withoutSettings(process.env), ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
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
  const { configure, close, ...calls } = connectToProvider(await listening, text);
  const stop = async () => {
    close();
    await stopChild(child, "SIGTERM");
  };
  try {
    await configure(configuration);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...calls,
    output: () => output,
    pid: child.pid,
    async stop() {
      await stop();
      assertPrintable(output);
    },
  };
}
