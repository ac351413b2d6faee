/** Types of operations: an endpoint, and the handler that returns its result. */
import type { Authentication, Principal } from "../authentication/authentication";
import type { Role } from "../seed/seed";
import type { Settings } from "../seed/settings";
import type { Clock } from "../store/clock";
import type { Project } from "../store/projects";
import type { Store } from "../store/store";
import type { Documents } from "./entities";

export interface OperationContext {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly authentication: Authentication;
  readonly documents: Documents;
}

export interface Call {
  readonly context: OperationContext;
  readonly principal: Principal;
  readonly parameters: Readonly<Record<string, string>>;
  /**
   * Parses the JSON body.
   *
   * @throws ServiceError 400 if the body is not JSON
   */
  readonly body: () => unknown;
}

/** An authenticated request to a resource in a project. */
export interface ProjectCall extends Call {
  readonly project: Project;
}

export type OperationResult =
  | { readonly kind: "entity"; readonly entity: object }
  | {
      readonly kind: "list";
      readonly count: number;
      /** Returns the entities from index `from` up to, not including, `to`. */
      readonly page: (from: number, to: number) => object[];
    };

interface OperationBase {
  /** Name in the request log, e.g. `listClusters`. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below the API path, with `:name` for parameters. */
  readonly path: string;
  /** HTTP status of a successful response. Default: 200 */
  readonly status?: 201 | 202;
  readonly list?: true;
}

export type Operation =
  | (OperationBase & {
      readonly role?: undefined;
      readonly handle: (call: Call) => OperationResult;
    })
  /** Below `/groups/:projectId`. The dispatcher checks that the project exists and the caller's role. */
  | (OperationBase & {
      /** Required role in the project. */
      readonly role: Role;
      readonly handle: (call: ProjectCall) => OperationResult;
    });

export function entity(entity: object): OperationResult {
  return { kind: "entity", entity };
}

/** Creates a result with a list, whose items become entities when their page is requested. */
export function list<T>(items: readonly T[], toEntity: (item: T) => object): OperationResult {
  return {
    kind: "list",
    count: items.length,
    page: (from, to) => items.slice(from, to).map(toEntity),
  };
}
