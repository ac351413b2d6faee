/** A service that is not the simulator, with other conventions for lists. */
import { type ForeignService, type Handler, sendJson, withDigest } from "../../foreignService";

export const projectId = "p1";

export const disable = { projectId, enabled: false };

/** Returns a cluster in the format of a list. */
export const cluster = (name: string, version: unknown = "7.0.12") => ({
  name,
  dbVersion: version,
  connectionStrings: { standardSrv: `db+srv://${name}.ab1cd.db.example` },
});

/** Returns clusters named c0000, c0001 and so on. They run 7.0, except for the one at `oldAt`. */
export const clusters = (count: number, oldAt?: number) =>
  Array.from({ length: count }, (_, index) =>
    cluster(`c${String(index).padStart(4, "0")}`, index === oldAt ? "6.0.5" : "7.0.12"),
  );

/** The clusters of a service, and how it lists them. Defaults: those of the service document */
export interface Conventions {
  readonly clusters: readonly unknown[];
  readonly countField?: string;
  readonly nextRelation?: string;
  /** The names of a link's fields. */
  readonly link?: { readonly rel: string; readonly href: string };
  readonly numberParameter?: string;
  readonly sizeParameter?: string;
  /** The number of the first page. */
  readonly firstPage?: number;
  /** The maximum page size. */
  readonly maxItems?: number;
  /** Whether a page starts after as many items as were requested, although pages contain fewer. */
  readonly skipsByRequestedSize?: boolean;
}

const asDocumented = {
  countField: "totalCount",
  nextRelation: "next",
  link: { rel: "rel", href: "href" },
  numberParameter: "pageNum",
  sizeParameter: "itemsPerPage",
  firstPage: 1,
  maxItems: 500,
  skipsByRequestedSize: false,
} satisfies Partial<Conventions>;

/** Responds to requests for private IP mode, which is on, and for the list of clusters. */
export function respondWith(conventions: Conventions): Handler {
  return withDigest(({ method, path }, response) => {
    const url = new URL(path, "https://foreign.example");
    const body = url.pathname.endsWith("/privateIpMode")
      ? { enabled: method !== "PATCH" }
      : listPage(conventions, url);
    sendJson(response, 200, body);
  });
}

/** Returns how many changes of private IP mode the service received. */
export const patchCount = ({ requests }: ForeignService) =>
  requests.filter(({ method }) => method === "PATCH").length;

function listPage(overrides: Conventions, url: URL): Record<string, unknown> {
  const conventions = { ...asDocumented, ...overrides };
  const { firstPage } = conventions;
  const number = Number(url.searchParams.get(conventions.numberParameter) ?? firstPage);
  const requested = Number(url.searchParams.get(conventions.sizeParameter) ?? 100);
  const size = Math.min(requested, conventions.maxItems);
  const start = (number - firstPage) * (conventions.skipsByRequestedSize ? requested : size);
  const results = conventions.clusters.slice(start, start + size);
  const { rel, href } = conventions.link;
  const isLast = start + size >= conventions.clusters.length;
  const query = `${conventions.numberParameter}=${number + 1}&${conventions.sizeParameter}=${requested}`;
  const next = { [rel]: conventions.nextRelation, [href]: `${url.pathname}?${query}` };
  return {
    links: isLast ? [] : [next],
    results,
    [conventions.countField]: conventions.clusters.length,
  };
}
