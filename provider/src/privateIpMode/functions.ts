/** The readiness functions that a Pulumi program calls. */
import type { InputArgs } from "../program/sdk";
import * as pulumi from "../program/sdk";
import { fromProgram, fromProgramOutput } from "../program/functions";
import type { Session } from "../service/session";
import type { PrivateIpModeReadiness } from "./args";
import type * as Readiness from "./readiness";

/** The arguments of {@link getPrivateIpModeReadiness}. */
export interface GetPrivateIpModeReadinessArgs {
  /** The ID of the project. */
  readonly projectId: string;
}

/** The arguments of {@link getPrivateIpModeReadinessOutput}, which may be outputs of other resources. */
export type GetPrivateIpModeReadinessOutputArgs = InputArgs<GetPrivateIpModeReadinessArgs>;

/**
 * Returns whether private IP mode of a project can be disabled now, and which clusters prevent it
 * (service document 3). Reads from the service, also during a preview, and changes nothing.
 *
 * @param args the project
 * @param options `provider` selects the settings to use. Default: the stack's settings.
 * @returns whether disabling would be allowed, and the clusters that prevent it
 * @throws `RunError` if an argument is invalid, if the provider is not a `clouddb.Provider`, or if
 *   a request to the service fails
 * @example
 * const readiness = clouddb.getPrivateIpModeReadiness({ projectId });
 * export const canDisable = readiness.then(({ ready }) => ready);
 */
export function getPrivateIpModeReadiness(
  args: GetPrivateIpModeReadinessArgs,
  options?: pulumi.InvokeOptions,
): Promise<PrivateIpModeReadiness> {
  return fromProgram(args, options, readinessCheck);
}

/**
 * Like {@link getPrivateIpModeReadiness}, but accepts the output of a resource as the project ID.
 *
 * @param args the project
 * @param options `provider` selects the settings to use. Default: the stack's settings.
 * @returns the readiness; unknown in a preview if the project ID is not known yet
 * @throws `RunError` if the provider is not a `clouddb.Provider`. If an argument is invalid or a request
 *   to the service fails, the output fails.
 * @example
 * const readiness = clouddb.getPrivateIpModeReadinessOutput({ projectId: project.id });
 * export const canDisable = readiness.ready;
 */
export function getPrivateIpModeReadinessOutput(
  args: GetPrivateIpModeReadinessOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<PrivateIpModeReadiness> {
  return fromProgramOutput(pulumi.output(args), options, readinessCheck);
}

const readinessCheck = {
  token: "clouddb:index:getPrivateIpModeReadiness",
  /** Loads the client, the schemas and semver on the first call (docs/internals/decisions.md#0014-measured-optimizations). */
  work: (session: Session, args: unknown) => {
    // oxlint-disable-next-line typescript/no-unsafe-assignment -- see above
    const { findReadiness }: typeof Readiness = require("./readiness");
    return findReadiness(session, args);
  },
};
