/** The data of a report, which holds no secrets. Its texts come from outside, so each format escapes them. */
import type { OwnType, ResourceName } from "./resourceNames";

export interface Report {
  /** Which stack it is about, such as `infra/production`; undefined if the input does not say. */
  readonly title: string | undefined;
  /** The commit, and the address of the job's log, if the caller knows them. */
  readonly commit: string | undefined;
  readonly job: string | undefined;
  /** `refused`: the guard refused disabling. `failed`: any other failure. */
  readonly outcome: "unchanged" | "changed" | "refused" | "failed";
  /** The outcome in one sentence, without text from outside. */
  readonly summary: string;
  readonly refusals: readonly Message[];
  readonly errors: readonly Message[];
  readonly changes: readonly Change[];
  /** The stack outputs that change, except for those whose only change is the string of a changed lookup. */
  readonly outputs: readonly OutputDifference[];
  /** The stack outputs that are secrets, which may contain a changed string. Empty if the preview failed. */
  readonly secretOutputs: readonly string[];
  /**
   * The stack outputs that contain an error message, because the program converted an output of a resource to text.
   */
  readonly misusedOutputs: readonly string[];
  /** Whether `--target` or `--exclude` limited the preview. */
  readonly isTargeted: boolean;
  /**
   * Whether the preview ended after it began and before all resources were seen, so that changes and errors can be
   * missing (partial.ts). The report then says so; nothing is left out.
   */
  readonly isPartial: boolean;
  readonly warnings: readonly Message[];
  /** Whether the state is known. Only the state says what receives a string. */
  readonly hasState: boolean;
  readonly others: readonly OtherChange[];
  /** What programs and the engine printed, or a log. */
  readonly output: readonly string[];
}

/** A change of a resource of this package, or what a refresh found on one. */
export interface Change {
  /** The operation of the engine; `refresh` if only the service differs from what is recorded. */
  readonly op: string;
  /** Whether Pulumi reports an error about the resource, for example because it is protected. */
  readonly hasError: boolean;
  readonly type: OwnType;
  readonly name: string;
  /** The project ID; for a lookup, followed by a slash and the name of the cluster; for a DatabaseUrl, empty. */
  readonly subject: string;
  /** Undefined if it is not known, or if the resource does not exist. */
  readonly from: Value | undefined;
  readonly to: Value | undefined;
  /**
   * What causes the change: the program, what the service returns for it, or an earlier change of the mode whose
   * outcome is not known.
   */
  readonly cause: "program" | "service" | "unconfirmed";
  /**
   * What receives the changed string, or uses a legacy string in the project of a changed mode. Undefined if neither
   * changes, or if no lookup has a legacy string.
   */
  readonly receivers: Receivers | undefined;
  /** Undefined except for a DatabaseUrl. */
  readonly urlParts: UrlParts | undefined;
  readonly properties: readonly Difference[];
}

/** What changes in a DatabaseUrl. */
export interface UrlParts {
  /** Such as `user`. */
  readonly visible: readonly string[];
  /**
   * The names of the secret parts that change, if the preview says them; `unnamed` if it only says that some change.
   */
  readonly secret: "none" | "unnamed" | readonly string[];
}

/** A mode, or a connection string, to which a DatabaseUrl adds its user and database. */
export interface Value {
  /** `on` or `off`; for a string, the kind of network and, if it is not the SRV form, the form. */
  readonly kind: string;
  readonly string?: string | undefined;
  /** The arguments that select a private endpoint, such as `region us-east-1`. */
  readonly endpoint?: string | undefined;
  /** The project or the cluster, if the change moves the resource to another one. */
  readonly of?: string | undefined;
}

/** The resources and stack outputs that a change reaches. */
export interface Receivers {
  /** For a mode, the lookups of its project with a legacy string, which stays but can lead elsewhere. */
  readonly lookups: readonly ResourceName[];
  /** Resources with a property that comes from a lookup. */
  readonly direct: readonly ResourceName[];
  /** Resources that receive a value of those, nearest first. */
  readonly further: readonly ResourceName[];
  /** Those of both that the preview does not change. */
  readonly unchanged: readonly ResourceName[];
  /** The names of stack outputs with a string of the same host, except for those that do not change. */
  readonly outputs: readonly string[];
}

/** A value before and after, as text; undefined if there is none. */
export interface Difference {
  /** The name of a property or an output, perhaps with the path of a part of it. */
  readonly name: string;
  readonly old: string | undefined;
  readonly new: string | undefined;
}

/** A difference in a stack output or a part of it. */
export interface OutputDifference extends Difference {
  /** The name of the stack output. */
  readonly output: string;
}

/** A change of a resource of another package, or what a refresh found on one. */
export interface OtherChange extends Pick<ResourceName, "type" | "name"> {
  readonly op: string;
  /** Whether Pulumi reports an error about the resource. */
  readonly hasError: boolean;
}

/** What Pulumi, the program or this package says about the preview or one resource. */
export interface Message {
  /** The type and name of the resource, such as `PrivateIpMode orders`. */
  readonly resource: string | undefined;
  readonly text: string;
  readonly position: Position | undefined;
  /** Whether Pulumi goes on after an error, as after a policy violation. Default: false */
  readonly goesOn?: boolean | undefined;
}

/** A line of the program. */
export interface Position {
  /** The path, relative to the folder of the Pulumi project. */
  readonly file: string;
  readonly line: number;
}
