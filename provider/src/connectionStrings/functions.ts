/** What a Pulumi program calls itself, without a resource: lookups, and credentials in a string. */
import * as pulumi from "../engine/sdk";
import { ProviderError } from "../engine/errors";
import { runError } from "../engine/runError";
import { fromProgram, fromProgramOutput } from "../programSession";
import type { Session } from "../session";
import type * as ArgsModule from "./args";
import { withCredentials as putCredentials } from "./credentials";
import { ConnectionStringError } from "./errors";
import { type FoundStrings, lookUp } from "./lookup";
import type { NetworkArgs } from "./resource";
import type { Network } from "./selection";

export interface GetConnectionStringsArgs {
  readonly projectId: string;
  readonly clusterName: string;
  /** Where the application runs. Default: `{ kind: "internet" }`. */
  readonly network?: Network | undefined;
  /** SRV form or the list of hosts. Default: `srv`. */
  readonly form?: "srv" | "hosts" | undefined;
  /** As for the resource ClusterConnectionStrings. */
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
 * The connection strings of a cluster, looked up when it is called and not recorded in the state,
 * with the settings of `options.provider` or the stack's. Calls share one listing a project.
 *
 * Throws a `RunError` where the cluster or the string asked for is not there.
 */
export function getConnectionStrings(
  args: GetConnectionStringsArgs,
  options?: pulumi.InvokeOptions,
): Promise<GetConnectionStringsResult> {
  return fromProgram(args, options, found);
}

/** The same for arguments that are outputs; unknown in a preview that does not know them yet. */
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
  /** Added behind the options that are there, for example `{ retryWrites: true }`. */
  readonly options?:
    | pulumi.Input<Record<string, pulumi.Input<string | number | boolean>>>
    | undefined;
}

/**
 * The connection string with a database user's credentials, percent-encoded by RFC 3986; a secret.
 * Hosts, port, form and options that are there stay to the letter.
 *
 * The output fails with a `RunError`, which repeats nothing of the string or the credentials, where
 * the string is none or holds credentials already.
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

/** A mistake that its message explains: the program's stack would only hide it. */
function orRunError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConnectionStringError)) throw error;
    throw runError(`withCredentials: ${error.message}`);
  }
}
