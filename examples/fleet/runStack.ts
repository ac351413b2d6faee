/** Runs an action on one stack, with Pulumi's Automation API. */
import {
  CommandError,
  ConcurrentUpdateError,
  type EngineEvent,
  LocalWorkspace,
  type PulumiCommand,
} from "@pulumi/pulumi/automation";
import { deploy } from "./program";
import type { Action, Result } from "./queue";
import type { FleetStack } from "./stacks";

/**
 * Runs an action on a stack, which is created if it does not exist.
 *
 * @returns the result, even if the action failed
 * @throws an error if the stack cannot be opened, or if another process is updating it; retry later
 */
export async function runStack(
  fleetStack: FleetStack,
  action: Action,
  pulumiCommand: PulumiCommand,
): Promise<Result> {
  const stack = await LocalWorkspace.createOrSelectStack(
    {
      stackName: fleetStack.name,
      projectName: "clouddb-fleet",
      program: () => Promise.resolve(deploy(fleetStack)),
    },
    // The folder of Pulumi.yaml. Providers load pulumi-clouddb from its node_modules.
    { workDir: __dirname, pulumiCommand },
  );
  const errors: string[] = [];
  let changes: string[] = [];
  const onEvent = ({ diagnosticEvent, summaryEvent }: EngineEvent) => {
    if (diagnosticEvent?.severity === "error") errors.push(plainText(diagnosticEvent.message));
    if (summaryEvent !== undefined) {
      changes = Object.entries(summaryEvent.resourceChanges).map(
        ([operation, count]) => `${count} ${operation}`,
      );
    }
  };
  try {
    if (action === "up") await stack.up({ onEvent });
    else await stack.preview({ onEvent, refresh: true, expectNoChanges: true });
    return { status: "succeeded", text: changes.join(", ") };
  } catch (error) {
    if (error instanceof ConcurrentUpdateError) throw error;
    // `pulumi preview --expect-no-changes` exits with 7 if there are changes.
    if (error instanceof CommandError && error.message.includes("exit code 7:")) {
      return { status: "drifted", text: changes.join(", ") };
    }
    return { status: "failed", text: errors.join("\n") || String(error) };
  }
}

/** Removes the engine's color markers. */
function plainText(message: string): string {
  return message.replace(/<\{%[a-z ]+%\}>/g, "").trim();
}
