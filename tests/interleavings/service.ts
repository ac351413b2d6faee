/** The real simulator without sockets, with other users' changes and its state at every moment. */
import { type Naming, connectionStrings } from "../../simulator/src/connectionStrings";
import { clustersBelowMinimum } from "../../simulator/src/operations/operations";
import { settingsSchema } from "../../simulator/src/seed/settings";
import { createSimulator } from "../../simulator/src/simulator";
import { type Seed, seedSchema } from "../../simulator/src/seed/seed";
import { account, key, projectId } from "../support/service";

export const otherProjectId = "64a0c0ffee0000000000a002";

const roles = [{ role: "owner" as const }];

const flex = { tier: "FLEX", listedAt: "flexClusters" } as const;

/** Two projects with two clusters at each path, an API key and a service account. */
export const twoProjects: Seed = {
  organizations: [
    { name: "acme", apiKeys: [{ ...key, roles }], serviceAccounts: [{ ...account, roles }] },
  ],
  projects: [projectId, otherProjectId].map((id) => ({
    id,
    name: id,
    organization: "acme",
    privateIpMode: { enabled: true },
    clusters: [
      ...["orders", "billing"].map((name) => ({ name, version: "7.0.12" })),
      ...["small", "smaller"].map((name) => ({ name, version: "7.0.12", ...flex })),
    ],
  })),
};

/** How the service is set up, and how its clients authenticate. */
export interface Conditions {
  /** Only a program knows when everything had ended that a lookup depends on. */
  readonly kind: "program" | "plugin";
  readonly credentials: "API key" | "service account";
  readonly tokenSeconds: number;
  readonly requestsPerMinute: number;
  /** Whether a 429 says in `Retry-After` when the minute ends. */
  readonly retryAfter: boolean;
  /** The paths that list clusters, as in the setting. */
  readonly clusterPaths: string;
  /** How many clusters the service returns on a page, at most. Without parameters, it returns 100. */
  readonly maxPageSize: number;
  /** Whether the service has a GET for the mode. */
  readonly isReadable: boolean;
}

/** What somebody else does to a cluster of the first project. An action that is impossible has no effect. */
const actions = {
  creates: (project, name, hostName) => {
    project.addCluster({ name, version: versionsOf(name)[0], hostName });
  },
  changes: (project, name) => {
    const [first, second] = versionsOf(name);
    const isFirst = project.cluster(name).version === first;
    project.updateCluster(name, { version: isFirst ? second : first, peering: isFirst });
  },
  moves: (project, name, hostName) => {
    project.updateCluster(name, { hostName });
  },
  deletes: (project, name) => {
    project.removeCluster(name);
  },
} satisfies Record<string, (project: Project, name: string, newHost: string) => void>;

/** What a resource of the same update does to a cluster. To replace one is to delete it and to create it later. */
export type Action = keyof typeof actions | "replaces";

/** The versions of a cluster, before and after an upgrade. */
function versionsOf(name: string): readonly [string, string] {
  return name === "old" ? ["6.0.5", "7.0.12"] : ["7.0.12", "8.0.4"];
}

/** What somebody else does to the first project. */
export const edits = {
  "adds a cluster below 7.0": ({ act }) => {
    act("creates", "old");
  },
  "removes the cluster below 7.0": ({ act }) => {
    act("deletes", "old");
  },
  "turns the mode on": ({ project }) => {
    project.setPrivateIpMode(true);
  },
  "turns the mode off": ({ project }) => {
    project.setPrivateIpMode(false);
  },
  "moves the cluster orders to another host": ({ act }) => {
    act("moves", "orders");
  },
  "upgrades the Flex cluster small": ({ project }) => {
    project.updateCluster("small", { tier: "DEDICATED", listedAt: "clusters" });
  },
  "revokes all tokens": ({ revokeTokens }) => {
    revokeTokens();
  },
} satisfies Record<string, (service: EditedService) => void>;

export type Edit = keyof typeof edits;

interface EditedService {
  readonly project: Project;
  readonly act: (action: Action, cluster: string) => void;
  readonly revokeTokens: () => void;
}

type Project = ReturnType<Simulator["members"]["project"]>;
type Simulator = Awaited<ReturnType<typeof createSimulator>>;

/** What the first project looked like, from a point in the order of events until the next moment. */
export interface Moment {
  readonly order: number;
  readonly enabled: boolean;
  /** The names of the clusters below 7.0. */
  readonly old: readonly string[];
  /** The connection strings and the version of each cluster. */
  readonly clusters: ReadonlyMap<string, readonly string[]>;
}

/** A request as the service receives it. */
export interface Received {
  readonly method: "GET" | "PATCH" | "POST";
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly payload?: string;
}

export interface Answered {
  readonly statusCode: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: string;
}

export class Service {
  readonly #simulator: Simulator;
  readonly #naming: Naming;
  /** All moments of the history, in order. */
  readonly #moments: Moment[] = [];
  #order = 0;

  private constructor(simulator: Simulator, naming: Naming) {
    this.#simulator = simulator;
    this.#naming = naming;
    simulator.store.onChange(() => {
      this.#record();
    });
  }

  /** Creates a service. Histories with equal conditions share one, because this takes some time. */
  static async create(conditions: Conditions): Promise<Service> {
    const { requestsPerMinute, tokenSeconds, retryAfter, maxPageSize } = conditions;
    const settings = settingsSchema.parse({ requestsPerMinute, tokenSeconds, retryAfter });
    const simulator = await createSimulator(settings, seedSchema.parse(twoProjects));
    simulator.documents.origin = origin;
    // The client sends the size of a page, and computes its digest with it.
    simulator.server.addHook("onRequest", ({ query }, _reply, done) => {
      limitPageSize(query, maxPageSize);
      done();
    });
    await simulator.server.ready();
    return new Service(simulator, settings);
  }

  /** Starts a history. */
  reset(): void {
    this.#order = 0;
    this.#simulator.members.reset();
    this.#moments.splice(0);
    this.#record();
  }

  /** Returns the next number in the order of all events of the history. */
  next(): number {
    this.#order += 1;
    return this.#order;
  }

  /** Returns the moments between two points in the order of events. */
  between(from: number, to: number): readonly Moment[] {
    return this.#moments.filter(({ order }, i) => {
      const end = this.#moments[i + 1]?.order ?? Infinity;
      return order <= to && end > from;
    });
  }

  edit(edit: Edit): void {
    const { project, revokeTokens } = this.#simulator.members;
    const act = (action: Action, cluster: string) => void this.act(action, cluster);
    edits[edit]({ project: project(projectId), act, revokeTokens });
  }

  /** Acts on a cluster of the first project; returns whether that was possible. */
  act(action: Action, name: string): boolean {
    const project = this.#simulator.members.project(projectId);
    const exists = project.clusters.some((cluster) => cluster.name === name);
    if (exists === (action === "creates")) return false;
    // No cluster had this name before.
    const newHost = `host${this.next()}`;
    actions[action === "replaces" ? "deletes" : action](project, name, newHost);
    return true;
  }

  async handle(request: Received): Promise<Answered> {
    const { statusCode, headers, body } = await this.#simulator.server.inject(request);
    const texts = Object.entries(headers).map(([name, value]) => [name, toText(value)] as const);
    return { statusCode, headers: Object.fromEntries(texts), body };
  }

  #record(): void {
    const current = this.#simulator.store.project(projectId);
    if (current === undefined) return;
    const clusters = current.clusters.map((cluster) => {
      const strings = connectionStrings(cluster, current.label, this.#naming);
      const facts = [...Object.values(strings), cluster.version];
      return [cluster.name, facts.filter((fact) => typeof fact === "string")] as const;
    });
    this.#moments.push({
      order: this.next(),
      enabled: current.privateIpMode.enabled,
      old: clustersBelowMinimum(current).map(({ name }) => name),
      clusters: new Map(clusters),
    });
  }
}

/** Reduces the size of a page in the parameters of a request. */
function limitPageSize(query: unknown, maximum: number): void {
  const parameters = Object(query) as Record<string, unknown>;
  const size = parameters["itemsPerPage"];
  if (size !== undefined) parameters["itemsPerPage"] = String(Math.min(Number(size), maximum));
}

export const origin = "https://service.example";

function toText(value: string | number | string[] | undefined): string | string[] {
  return Array.isArray(value) ? value : String(value ?? "");
}
