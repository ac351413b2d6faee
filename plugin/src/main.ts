/**
 * The executable of the plugin. The engine passes its address as the last argument, and reads the port from the first
 * line of the output.
 */
import * as grpc from "@grpc/grpc-js";
import * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/engine_pb";
import { closeOnSignal, engineAddress, engineEnd, version } from "../../provider/src/pluginApi";
import { CloudDbProvider } from "./provider";
import { serve } from "./server";

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--version")) {
    process.stdout.write(`${version}\n`);
    return;
  }
  const address = engineAddress();
  const provider = new CloudDbProvider({
    engineAddress: address,
    modules: { grpc, services, messages },
    environment: process.env,
  });
  const server = await serve(provider);
  process.stdout.write(`${server.port}\n`);
  closeOnSignal(() => provider.close());
  // Without an address, a person started this process to attach a debugger.
  if (address === undefined) return;
  await engineEnd(address);
  await provider
    .close()
    .then(() => server.stop())
    .finally(() => process.exit());
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(
    `pulumi-resource-clouddb cannot start: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
});
