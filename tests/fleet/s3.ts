/** An S3 server on loopback: gofakes3, built from its Go module. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { type Cleanup } from "../support/cleanup";
import { stopChild } from "../support/command";
import { buildWithGo } from "../support/goProgram";
import { freePort } from "../support/freePort";
import { untilListening } from "../support/untilListening";

/**
 * Starts a server with one empty bucket.
 *
 * @param cleanup stops it
 * @returns the environment variables for Pulumi's backend
 * @throws Missing if Go is not installed
 */
export async function startS3(cleanup: Cleanup): Promise<Record<string, string>> {
  const target = "github.com/johannesboyne/gofakes3/cmd/gofakes3";
  const program = buildWithGo(join(__dirname, "s3-server"), "gofakes3", target);
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const args = ["-host", address, "-backend", "memory", "-initialbucket", "state"];
  const server = spawn(program, args, { stdio: "ignore" });
  cleanup(() => stopChild(server, "SIGKILL"));
  await untilListening(port);
  const options = `region=us-east-1&endpoint=${address}&disableSSL=true&s3ForcePathStyle=true`;
  return {
    PULUMI_BACKEND_URL: `s3://state?${options}`,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
  };
}
