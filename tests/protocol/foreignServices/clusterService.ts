/** A service that is not the simulator, and lists clusters by conventions of its own. */
import { type ForeignService, type Handler, sendJson, withDigest } from "../../foreignService";

export const projectId = "p1";

export const disable = { projectId, enabled: false };

/** A cluster as the service lists it. */
export const cluster = (name: string, version: unknown = "7.0.12") => ({
  name,
  dbVersion: version,
  connectionStrings: { standardSrv: `db+srv://${name}.ab1cd.db.example` },
});

/** Returns clusters named c0000 and so on, all of which run 7.0 except for one. */
export const clusters = (count: number, oldAt?: number) =>
  Array.from({ length: count }, (_, index) =>
    cluster(`c${String(index).padStart(4, "0")}`, index === oldAt ? "6.0.5" : "7.0.12"),
  );

/** The clusters of a service, and how it lists them. Default: as the service document says */
export interface Conventions {
  readonly clusters: readonly unknown[];
  readonly countField?: string;
  readonly nextRelation?: string;
  /** The names of a link's fields. */
  readonly link?: { readonly rel: string; readonly href: string };
  readonly numberParameter?: string;
  readonly sizeParameter?: string;
  readonly mostItems?: number;
  /** Whether a page starts after as many items as were requested, although pages hold fewer. */
  readonly skipsBySizeAsked?: boolean;
}

const asDocumented = {
  countField: "totalCount",
  nextRelation: "next",
  link: { rel: "rel", href: "href" },
  numberParameter: "pageNum",
  sizeParameter: "itemsPerPage",
  mostItems: 500,
  skipsBySizeAsked: false,
} satisfies Partial<Conventions>;

/** Responds as a service whose private IP mode is on, and which lists the clusters. */
export function respondWith(conventions: Conventions): Handler {
  return withDigest(({ method, path }, response) => {
    const url = new URL(path, "https://foreign.example");
    const body = url.pathname.endsWith("/privateIpMode")
      ? { enabled: method !== "PATCH" }
      : listPage(conventions, url);
    sendJson(response, 200, body);
  });
}

/** Counts the changes of private IP mode that a service received. */
export const patchCount = ({ requests }: ForeignService) =>
  requests.filter(({ method }) => method === "PATCH").length;

function listPage(given: Conventions, url: URL): Record<string, unknown> {
  const conventions = { ...asDocumented, ...given };
  const number = Number(url.searchParams.get(conventions.numberParameter) ?? 1);
  const asked = Number(url.searchParams.get(conventions.sizeParameter) ?? 100);
  const size = Math.min(asked, conventions.mostItems);
  const start = (number - 1) * (conventions.skipsBySizeAsked ? asked : size);
  const results = conventions.clusters.slice(start, start + size);
  const { rel, href } = conventions.link;
  const isLast = start + size >= conventions.clusters.length;
  const query = `${conventions.numberParameter}=${number + 1}&${conventions.sizeParameter}=${asked}`;
  const next = { [rel]: conventions.nextRelation, [href]: `${url.pathname}?${query}` };
  return {
    links: isLast ? [] : [next],
    results,
    [conventions.countField]: conventions.clusters.length,
  };
}
