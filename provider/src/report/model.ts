/** The data of a report, which holds no secrets. Its texts come from outside, so each format escapes them. */
import type { Code } from "../messages/errors";
import type { ResourceName } from "./resourceNames";

export interface Report {
  /** Which stack it is about, such as `infra/production`; undefined if the input does not say. */
  readonly title: string | undefined;
  /** The commit, and the address of the job's log, if the caller knows them. */
  readonly commit: string | undefined;
  readonly job: string | undefined;
  /** `refused`: the guard refused disabling. `failed`: any other failure. */
  readonly outcome: "unchanged" | "changed" | "refused" | "failed";
  /** What changes, or how the preview failed, in one sentence without text from outside. Empty without changes. */
  readonly summary: string;
  readonly refusals: readonly Message[];
  readonly errors: readonly Message[];
  readonly changes: readonly Change[];
  /** What changes in stack outputs, except for those whose only change is the string of a changed lookup. */
  readonly outputs: readonly OutputDifference[];
  /** The stack outputs that have the password of a database user, but are no secrets. */
  readonly plainPasswords: readonly { readonly output: string; readonly user: string }[];
  /** The stack outputs that are secrets, which may contain a changed string. Empty if the preview failed. */
  readonly secretOutputs: readonly string[];
  /**
   * The stack outputs that contain an error message, because the program converted an output of a resource to text.
   */
  readonly misusedOutputs: readonly string[];
  /** Undefined if the strings of all lookups are those after the update, as far as the state says. */
  readonly laterLookups: LaterLookups | undefined;
  /** Whether `--target` or `--exclude` limited the preview. */
  readonly isTargeted: boolean;
  /**
   * Whether the preview failed after it began and before all resources were seen, so that changes and errors can be
   * missing. A report that `--target` limits, or that is cut because it is too long, is not called partial.
   */
  readonly isPartial: boolean;
  readonly warnings: readonly Message[];
  /** Whether the state is known. Only the state says what receives a string. */
  readonly hasState: boolean;
  readonly otherChanges: readonly OtherChange[];
  /** What programs and the engine printed, or a log. */
  readonly output: readonly string[];
}

/** A change of a resource of this package, or what a refresh found on one. */
export type Change = ModeChange | StringChange;

/** A change of a string that applications get. */
export type StringChange = LookupChange | UrlChange;

/** What all changes say of their resource. */
export interface ChangedResource {
  /** The operation of the engine; `refresh` if only the service differs from what is recorded. */
  readonly op: string;
  readonly name: string;
  /** Whether Pulumi reports an error about the resource, for example because it is protected. */
  readonly hasError: boolean;
  /**
   * The project before and after or, for a lookup, the cluster as `<project ID>/<name>`. Undefined if the resource stays
   * with the same one.
   */
  readonly move: { readonly from: string; readonly to: string } | undefined;
  /** The properties that change, except for those that the change itself shows. */
  readonly properties: readonly Difference[];
}

/** A change of the private IP mode of a project. */
export interface ModeChange extends ChangedResource {
  readonly type: "PrivateIpMode";
  readonly projectId: string;
  /** `on`, `off` or `not known`. Undefined if nothing says it, as before most creations. */
  readonly from: string | undefined;
  /** Undefined if the project or the resource no longer exists. */
  readonly to: string | undefined;
  /** The program, the service, or an earlier change of the mode whose outcome is not known. */
  readonly cause: "program" | "service" | "unconfirmed";
  /** Those of legacy strings. Undefined if the update does not switch the mode, or if no lookup has a legacy string. */
  readonly legacyUsers: LookupUsers | undefined;
}

/** What changes of lookups and database URLs have in common. */
interface ChangedString extends ChangedResource {
  /** Undefined if the resource does not exist before or after. */
  readonly from: StringValue | undefined;
  readonly to: StringValue | undefined;
  /**
   * How the string after the update compares with the one before, if there are both. `secret`: its visible parts are the
   * same, but it is a secret or contains one, which may change.
   */
  readonly comparison: "different" | "same" | "secret" | "unknown" | undefined;
  /** Whether the preview has a string after the update. If not, Pulumi does not run `apply` on it. */
  readonly isKnown: boolean;
  /** What a policy does to its arguments, so that the preview has the string of those before. Undefined if nothing. */
  readonly policy: "changes" | "may change" | undefined;
  /** Undefined if the string stays the same. */
  readonly receivers: Receivers | undefined;
}

/** A change of the string that a lookup recommends. */
export interface LookupChange extends ChangedString {
  readonly type: "ClusterConnectionStrings";
  readonly cause: "program" | "service";
}

/** A change of a database URL. */
export interface UrlChange extends ChangedString {
  readonly type: "DatabaseUrl";
  readonly parts: readonly UrlPart[];
}

/** A part of a database URL that changes. */
export interface UrlPart {
  /** Such as `user`. Undefined if the preview does not say which secret part changes. */
  readonly name: string | undefined;
  readonly isSecret: boolean;
}

/** A connection string, or a URL whose secrets are hidden. */
export interface StringValue {
  /** The network that it is for, and the form if it is not SRV. Undefined if its host names do not say. */
  readonly network: string | undefined;
  readonly string: string;
  /** The arguments that select a private endpoint, such as `region us-east-1`. */
  readonly endpoint?: string | undefined;
}

/** The resources and stack outputs that receive a string. */
export interface Receivers {
  /** Resources with a property that comes from the string's resource. */
  readonly direct: readonly ResourceName[];
  /** Resources that receive a value of those, nearest first. */
  readonly further: readonly ResourceName[];
  /** Those of both that the preview does not change, and that can keep the old string until they restart. */
  readonly unchanged: readonly ResourceName[];
  /** The names of stack outputs with the string in their text. */
  readonly outputs: readonly string[];
}

/**
 * Lookups, and what receives their strings. Legacy strings stay the same if the mode changes, but their host names resolve
 * to other addresses.
 */
export interface LookupUsers extends Receivers {
  readonly lookups: readonly ResourceName[];
}

/** Lookups whose strings can differ from those of the preview, because the update changes what they depend on. */
export interface LaterLookups extends LookupUsers {
  /** What changes, nearest first. */
  readonly causes: readonly LookupCause[];
}

/** A changed resource that lookups depend on, with the names of its changed properties. */
export interface LookupCause extends ResourceName {
  readonly properties: readonly string[];
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
export interface OtherChange extends ResourceName {
  readonly op: string;
  /**
   * `retained`: removed from the state, but not deleted. `leftover`: what an earlier update replaced is deleted.
   * `differs`: a refresh found that it differs from the state.
   */
  readonly effect: "deleted" | "retained" | "leftover" | "replaced" | "differs" | "changed";
  /** Whether Pulumi reports an error about the resource. */
  readonly hasError: boolean;
}

/** What Pulumi, the program or this package says about the preview, one resource, or several ones. */
export interface Message {
  readonly text: string;
  /** Its code, if it is of this package (read/diagnostics.ts). */
  readonly code?: Code | undefined;
  /** The resources that it is about. One place without a resource if it is about the preview. */
  readonly places: readonly Place[];
  /** Whether Pulumi goes on after an error, as after a policy violation. Default: false */
  readonly goesOn?: boolean | undefined;
}

/** What a message is about. */
export interface Place {
  /** The type and name of the resource, such as `PrivateIpMode orders`. */
  readonly resource: string | undefined;
  /** The line that declares the resource or, without one, that fails. */
  readonly position: Position | undefined;
}

/** A line of the program. */
export interface Position {
  /** The path, relative to the folder of the Pulumi project. */
  readonly file: string;
  readonly line: number;
}
