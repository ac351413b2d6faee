/** What a report says. It holds no secrets. Its text comes from outside: each format escapes it. */
import type { Refusal as GuardRefusal } from "../privateIpMode/guard";
import type { Position } from "./input";

export interface Report {
  /** Which stack it is about, such as `infra/production`; undefined if the input does not say. */
  readonly title: string | undefined;
  /** `refused`: the guard refused disabling. `failed`: any other failure. */
  readonly outcome: "unchanged" | "changed" | "refused" | "failed";
  /** The outcome in one sentence, without text from outside. */
  readonly verdict: string;
  readonly refusals: readonly Refusal[];
  readonly errors: readonly Message[];
  /** The changes of this provider's resources. */
  readonly changes: readonly Change[];
  /** What differs between the state and the service. */
  readonly drift: readonly Change[];
  /** Each warning once. */
  readonly warnings: readonly Message[];
  /** The resources in a stack export. */
  readonly current: readonly Change[];
  /** How many resources do not change. Without meaning after a failure, which ends a preview early. */
  readonly unchanged: number;
  /** How many resources of other providers each operation concerns. */
  readonly others: readonly {
    readonly provider: string;
    readonly op: string;
    readonly count: number;
  }[];
  /** Operations that the input counts, but does not describe. */
  readonly undescribed: readonly { readonly op: string; readonly count: number }[];
  /** What programs and the engine printed, or a log. */
  readonly output: readonly string[];
}

export interface Change extends Located {
  readonly op: string;
  readonly type: "PrivateIpMode" | "ClusterConnectionStrings";
  readonly name: string;
  /** The project ID; for a lookup, followed by a slash and the name of the cluster. */
  readonly subject: string;
  /** On or off; the kind and host of a string; undefined if there is none. */
  readonly from: string | undefined;
  /** The same after the change; undefined if there is none. */
  readonly to: string | undefined;
  readonly properties: readonly {
    readonly name: string;
    readonly old: string | undefined;
    readonly new: string | undefined;
  }[];
}

/** A message of the guard (privateIpMode/guard.ts), as its parts. */
export interface Refusal extends Message, GuardRefusal {}

export interface Message extends Located {
  /** The type and name of the resource, such as `PrivateIpMode orders`. */
  readonly resource: string | undefined;
  /** The message, without secrets. */
  readonly text: string;
}

/** Something with a place in the program. */
export interface Located {
  readonly position: Position | undefined;
}
