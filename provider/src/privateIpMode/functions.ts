/** Readiness as a Pulumi program asks for it. */
import * as pulumi from "../engine/sdk";
import { fromProgram, fromProgramOutput } from "../programSession";
import type { Session } from "../session";
import type * as ReadinessModule from "./readiness";
import type { PrivateIpModeReadiness } from "./readiness";
import type * as ReadinessArgsModule from "./readinessArgs";

/** The arguments of {@link getPrivateIpModeReadiness}. */
export interface PrivateIpModeReadinessArgs {
  /** The project to look at. */
  readonly projectId: string;
}

/**
 * Tells whether private IP mode of a project could be disabled now, and which clusters prevent it
 * (service document 3). It reads from the service, also in preview, and changes nothing.
 *
 * @param args the project
 * @param options `provider` chooses the settings. Default: the stack's.
 * @throws `RunError` if an argument is wrong, if the provider is not a `clouddb.Provider`, or if the
 *   service cannot be asked
 * @example
 * const { ready, offenders } = await clouddb.getPrivateIpModeReadiness({ projectId });
 */
export function getPrivateIpModeReadiness(
  args: PrivateIpModeReadinessArgs,
  options?: pulumi.InvokeOptions,
): Promise<PrivateIpModeReadiness> {
  return fromProgram(args, options, read);
}

/**
 * As {@link getPrivateIpModeReadiness}, for a project that is an output of a resource.
 *
 * @returns unknown in a preview that does not know the project yet
 * @throws `RunError` if the provider is not a `clouddb.Provider`
 */
export function getPrivateIpModeReadinessOutput(
  args: { readonly projectId: pulumi.Input<string> },
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<PrivateIpModeReadiness> {
  return fromProgramOutput(pulumi.output(args), options, read);
}

/* eslint-disable @typescript-eslint/no-require-imports -- semver and zod are loaded when needed */

function read(session: Session, given: unknown) {
  const { readReadinessArgs } = require("./readinessArgs") as typeof ReadinessArgsModule;
  const { readReadiness } = require("./readiness") as typeof ReadinessModule;
  return readReadiness(session, readReadinessArgs(given).projectId);
}
