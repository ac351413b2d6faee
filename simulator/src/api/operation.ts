// What an operation of the API is: data for the router, and a function from a call to an answer.
import type { z } from "zod";
import type { Authentication } from "../authentication/authenticate";
import type { Principal } from "../authentication/principals";
import type { Clock } from "../clock";
import type { Settings } from "../options";
import type { Project, Store } from "../world/store";
import type { Documents } from "./documents";

/** What operations work on. */
export interface Service {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly authentication: Authentication;
  readonly documents: Documents;
}

/** A request whose caller is known and allowed. */
export interface Call {
  readonly service: Service;
  readonly principal: Principal;
  readonly parameters: Readonly<Record<string, string>>;
  /** The JSON value sent. @throws {ServiceError} 400 where there is none */
  readonly body: () => unknown;
}

/** A call to a resource of a project. */
export interface ProjectCall extends Call {
  readonly project: Project;
}

export type Answer =
  | { readonly kind: "entity"; readonly json: string }
  /** All items of a list: the page asked for is cut out of it. */
  | {
      readonly kind: "list";
      readonly count: number;
      readonly page: (from: number, to: number) => string[];
    };

export type EntityName = "Root" | "Project" | "Cluster" | "PrivateIpMode";

interface OperationBase {
  /** As in the OpenAPI document and the journal, e.g. `listClusters`. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly summary: string;
  /** Below the API path, with `:name` for parameters. */
  readonly path: string;
  readonly status: 200 | 201 | 202;
  /** What the answer holds. */
  readonly answers: EntityName;
  /** True where it holds a list of them: there are paging parameters then. */
  readonly list: boolean;
  /** The schema of the body, where there is one; it may depend on the prefix of version fields. */
  readonly body?: (fieldPrefix: string) => z.ZodType;
}

export type Operation =
  | (OperationBase & { readonly scope: "service"; readonly handle: (call: Call) => Answer })
  /** Below `/groups/:projectId`: the project exists and the caller has a role in it. */
  | (OperationBase & {
      readonly scope: "project";
      /** The least role that may do this. */
      readonly role: "owner" | "readOnly";
      readonly handle: (call: ProjectCall) => Answer;
    });

export function entity(json: string): Answer {
  return { kind: "entity", json };
}

export function list<T>(items: readonly T[], document: (item: T) => string): Answer {
  return {
    kind: "list",
    count: items.length,
    page: (from, to) => items.slice(from, to).map(document),
  };
}
