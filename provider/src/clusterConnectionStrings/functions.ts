/** Functions that a Pulumi program calls without a resource: lookups, and adding credentials. */
import * as pulumi from "../program/sdk";
import { ProviderError } from "../session/errors";
import { runError } from "../program/runError";
import { fromProgram, fromProgramOutput } from "../program/programSession";
import type { Session } from "../session/session";
import type * as ArgsModule from "./args";
import {
  ConnectionStringError,
  withCredentials as putCredentials,
} from "clouddb-connection-strings/credentials";
import { type FoundStrings, lookUp } from "./lookup";
import type { NetworkArgs } from "./resource";
import type { Network } from "clouddb-connection-strings";

export interface GetConnectionStringsArgs {
  readonly projectId: string;
  readonly clusterName: string;
  /** Where the application runs. Default: `{ kind: "internet" }`. */
  readonly network?: Network | undefined;
  /** SRV form or the list of hosts. Default: `srv`. */
  readonly form?: "srv" | "hosts" | undefined;
  /** See the resource ClusterConnectionStrings. */
  readonly optimized?: boolean | undefined;
}

export type GetConnectionStringsOutputArgs = {
  readonly [Key in keyof Omit<GetConnectionStringsArgs, "network">]: pulumi.Input<
    GetConnectionStringsArgs[Key]
  >;
} & {
  /** Where the application runs. Default: `{ kind: "internet" }`. */
  readonly network?: pulumi.Input<NetworkArgs> | undefined;
};

export interface GetConnectionStringsResult extends FoundStrings {
  readonly projectId: string;
  readonly clusterName: string;
}

/**
 * Looks up the connection strings of a cluster, with the settings of `options.provider` or the stack's
 * settings. Records nothing in the state. All calls share one list of clusters per project.
 *
 * Throws a `RunError` if the cluster or the requested string does not exist.
 */
export function getConnectionStrings(
  args: GetConnectionStringsArgs,
  options?: pulumi.InvokeOptions,
): Promise<GetConnectionStringsResult> {
  return fromProgram(args, options, found);
}

/** Like {@link getConnectionStrings}, but accepts outputs. Unknown in a preview until they are known. */
export function getConnectionStringsOutput(
  args: GetConnectionStringsOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetConnectionStringsResult> {
  return fromProgramOutput(pulumi.output(args), options, found);
}

async function found({ listing }: Session, given: unknown): Promise<GetConnectionStringsResult> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- a program that starts does not load zod
  const { readQuery } = require("./args") as typeof ArgsModule;
  const query = readQuery(given);
  const lookup = await lookUp(listing, query);
  if (lookup.kind !== "found") throw new ProviderError(lookup.problem);
  const { projectId, clusterName } = query;
  return { projectId, clusterName, ...lookup.strings };
}

export interface WithCredentialsArgs {
  readonly username: pulumi.Input<string>;
  readonly password: pulumi.Input<string>;
  /** Added after the existing options, for example `{ retryWrites: true }`. */
  readonly options?:
    | pulumi.Input<Record<string, pulumi.Input<string | number | boolean>>>
    | undefined;
}

/**
 * Adds a database user's credentials to a connection string, percent-encoded according to RFC 3986.
 * Returns a secret. Hosts, port, form and existing options stay exactly as they are.
 *
 * The output fails with a `RunError` if the text is not a connection string or already contains
 * credentials. The message never contains any part of the string or the credentials.
 */
export function withCredentials(
  connectionString: pulumi.Input<string>,
  credentials: WithCredentialsArgs,
): pulumi.Output<string> {
  const known = pulumi.all([connectionString, pulumi.output(credentials)]);
  return pulumi.secret(
    known.apply(([text, given]) => orRunError(() => putCredentials(text, given))),
  );
}

/** Reports a user error without a stack trace, which would only hide the message. */
function orRunError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConnectionStringError)) throw error;
    throw runError(`withCredentials: ${error.message}`);
  }
}
