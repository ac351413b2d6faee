/** Readiness as a Pulumi program asks for it. */
import * as pulumi from "../engine/sdk";
import { fromProgram, fromProgramOutput } from "../programSession";
import type { Session } from "../session";
import type * as ReadinessModule from "./readiness";
import type { PrivateIpModeReadiness } from "./readiness";

export interface PrivateIpModeReadinessArgs {
  readonly projectId: string;
}

/**
 * Tells whether private IP mode of a project could be disabled now, and what stands in the way
 * (service document 3). It looks at the service, also in preview, and changes nothing.
 *
 * Throws a `RunError` where the service cannot be asked.
 */
export function getPrivateIpModeReadiness(
  args: PrivateIpModeReadinessArgs,
  options?: pulumi.InvokeOptions,
): Promise<PrivateIpModeReadiness> {
  return fromProgram(args, options, read);
}

/** As {@link getPrivateIpModeReadiness}, for a project that is an output of something else. */
export function getPrivateIpModeReadinessOutput(
  { projectId }: { readonly projectId: pulumi.Input<string> },
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<PrivateIpModeReadiness> {
  return fromProgramOutput(pulumi.output({ projectId }), options, read);
}

function read(session: Session, { projectId }: PrivateIpModeReadinessArgs) {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- semver is loaded when needed
  const { readReadiness } = require("./readiness") as typeof ReadinessModule;
  return readReadiness(session, projectId);
}
