/** The Pulumi CLI in a folder, as in a user's terminal. */
import assert from "node:assert/strict";
import { sep } from "node:path";
import { type Cleanup, temporaryFolder } from "../support/cleanup";
import { startCommand } from "../support/command";

/** Returns the variables of a file backend in a folder. */
export function backendIn(folder: string): Record<string, string> {
  return {
    PULUMI_BACKEND_URL: `file://${folder.replaceAll(sep, "/")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
  };
}

/** Runs `pulumi`, and returns what it printed. It must end with the expected exit code. Default: 0 */
type Pulumi = (
  args: readonly string[],
  options?: { readonly input?: string; readonly code?: number },
) => Promise<{ readonly stdout: string; readonly stderr: string }>;

/** Returns what runs the CLI in a folder, with a separate backend. */
export function pulumiIn(cleanup: Cleanup, folder: string, environment: NodeJS.ProcessEnv): Pulumi {
  const backend = backendIn(temporaryFolder(cleanup));
  const env = { ...process.env, ...backend, ...environment };
  return async (args, { input = "", code = 0 } = {}) => {
    const started = startCommand(cleanup, "pulumi", args, { cwd: folder, env, input });
    const result = await started.result;
    assert.equal(result.code, code, `pulumi ${args.join(" ")}: ${result.stdout}${result.stderr}`);
    return result;
  };
}
