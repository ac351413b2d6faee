/** The drivers that judge connection strings (connection-strings/src/rules/drivers.ts). */
import { join } from "node:path";
import { z } from "zod";
import type { Cleanup } from "../support/cleanup";
import { startCommand } from "../support/command";
import { startDns } from "../support/databaseHosts";
import { buildWithGo } from "../support/goProgram";
import { pythonEnvironment } from "../support/pythonEnvironment";
import type { DriverName, Verdict } from "./disagreements";

const verdictSchema = z.strictObject({
  refused: z.string().optional(),
  ignored: z.string().optional(),
});

/** The folder of a virtual environment with PyMongo. Throws Missing without Python. */
export function pythonWithDriver(): string {
  const requirements = ["--requirement", join(__dirname, "requirements.txt")];
  return pythonEnvironment("python-drivers", () => requirements);
}

/** The programs that ask a driver. They throw Missing if the driver is not installed and cannot be. */
const programs: Record<DriverName, () => readonly [command: string, ...args: string[]]> = {
  node: () => [process.execPath, "--no-warnings", join(__dirname, "judge.js")],
  go: () => [buildWithGo(__dirname, "connection-string-judge", ".")],
  pymongo: () => [join(pythonWithDriver(), "bin", "python"), join(__dirname, "judge.py")],
};

/** Asks a driver about strings. Returns its version, and a verdict for each string. */
export async function askDriver(
  cleanup: Cleanup,
  driver: DriverName,
  strings: readonly string[],
): Promise<{ readonly version: string; readonly verdicts: readonly Verdict[] }> {
  const [command, ...args] = programs[driver]();
  const { address } = await startDns(cleanup, {}, (name) => [
    { type: "SRV", name, data: { target: "a.db.example", port: 1 } },
  ]);
  const input = strings.map((string) => `${JSON.stringify(string)}\n`).join("");
  const { stdout, stderr } = await startCommand(cleanup, command, [...args, address], { input })
    .result;
  const lines = stdout.trimEnd().split("\n");
  const [version = "", ...verdicts] = lines.map((line): unknown => JSON.parse(line || '""'));
  if (verdicts.length !== strings.length)
    throw new Error(`${driver} has not judged all: ${stderr}`);
  return { version: z.string().parse(version), verdicts: z.array(verdictSchema).parse(verdicts) };
}
