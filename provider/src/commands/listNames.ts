/**
 * Finds the names that a service gives to the parameters and the count of its lists, which the service document does
 * not show (4.3). Sends GET requests for the list of clusters.
 */
import { Client, type ClientSettings } from "../service/client";
import { ApiError } from "../service/errors";
import type { ListNames } from "../service/paging";
import { isRecord } from "../service/schemas";

export interface FoundListNames {
  /** The names that the responses show. */
  readonly names: Partial<ListNames>;
  /** What the service returned, as sentences. Safe to print. */
  readonly seen: string;
}

export async function findListNames(
  settings: ClientSettings,
  projectId: string,
): Promise<FoundListNames> {
  const links = await attempt(() => readLinks(settings, projectId));
  if (links instanceof ApiError) return { names: {}, seen: links.message };
  const { pageParameter, pageSizeParameter, countParameter = settings.countParameter } = links;
  const seen = `The links of a page have ${listOf(links.parameters, "no parameters")}.`;
  if (pageParameter === undefined || pageSizeParameter === undefined) return { names: {}, seen };
  const names = { pageParameter, pageSizeParameter };
  const found = { ...settings, ...names, countParameter };
  const count = await attempt(() => readCount(found, projectId));
  if (count instanceof ApiError) return { names, seen: `${seen} ${count.message}` };
  const { countField } = count;
  return {
    names: countField === undefined ? names : { ...names, countParameter, countField },
    seen: `${seen} ${count.seen}`,
  };
}

async function attempt<T>(read: () => Promise<T>): Promise<T | ApiError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

async function readLinks(settings: ClientSettings, projectId: string) {
  const read = (query: Readonly<Record<string, string>>) =>
    withClient(settings, (client) => client.getClustersPage(projectId, query));
  const { pageParameters, ...found } = parametersIn(await read({}));
  const [first, second, ...others] = pageParameters;
  if (first === undefined || others.length > 0) return { ...found, pageParameter: undefined };
  if (second === undefined) return { ...found, pageParameter: first };
  // A size of 2 looks like the number of the next page, but with a size of 1 the page has one cluster.
  const hasOneCluster = async (name: string) => clustersOn(await read({ [name]: "1" })) === 1;
  if (await hasOneCluster(first))
    return { ...found, pageParameter: second, pageSizeParameter: first };
  if (await hasOneCluster(second))
    return { ...found, pageParameter: first, pageSizeParameter: second };
  return { ...found, pageParameter: undefined };
}

function clustersOn(page: Readonly<Record<string, unknown>>): number {
  return Array.isArray(page["results"]) ? page["results"].length : 0;
}

/** Compares the numbers of a page that has one cluster with the number of all clusters. */
async function readCount(settings: ClientSettings, projectId: string) {
  const { pageParameter, pageSizeParameter, countParameter } = settings;
  const query = { [pageParameter]: "1", [pageSizeParameter]: "1", [countParameter]: "true" };
  const page = await withClient(settings, (client) => client.getClustersPage(projectId, query));
  const paths = settings.clusterPaths.slice(0, 1);
  const list = await withClient(settings, (client) => client.listClusters(projectId, paths));
  const read = list.records.length;
  const length = clustersOn(page);
  const numbers = Object.entries(page).filter(([, value]) => Number.isInteger(value));
  const seen = `With ${pageSizeParameter}=1, a page has ${length} of ${read} clusters, and ${listOf(numbers, "no number")}. Only a number above 1 that equals the number of clusters can be their count.`;
  // On a page with all clusters, a count of the page would look like one of the list.
  const counts = numbers.filter(([, value]) => length === 1 && read > 1 && value === read);
  return { countField: onlyName(counts), seen };
}

async function withClient<T>(settings: ClientSettings, work: (client: Client) => Promise<T>) {
  const client = new Client(settings);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

type Parameters = readonly (readonly [name: string, value: unknown])[];

/** Finds the parameters in the links from a page to itself and to the next one (service document 2.4). */
function parametersIn(page: Readonly<Record<string, unknown>>) {
  const links = Array.isArray(page["links"]) ? page["links"].filter(isRecord) : [];
  // The names of a link's two fields are not shown.
  const queries = links.map((link) => {
    const values = Object.values(link).filter((value) => typeof value === "string");
    const target = values.find((value) => value.includes("/clusters?")) ?? "";
    return { isSelf: values.includes("self"), query: new URLSearchParams(target.split("?")[1]) };
  });
  const self = new Map(queries.find(({ isSelf }) => isSelf)?.query);
  const others = queries.filter(({ isSelf }) => !isSelf).flatMap(({ query }) => [...query]);
  const parameters: Parameters = [...new Map([...others, ...self])];
  const next = others.filter(([name, value]) => value === "2" && (self.get(name) ?? "1") === "1");
  const first = [...self].filter(([, value]) => value === "1");
  const pageParameters = [...new Set((next.length > 0 ? next : first).map(([name]) => name))];
  const sizes = parameters.filter(
    ([name, value]) => !pageParameters.includes(name) && Number(value) > 1,
  );
  const switches = parameters.filter(
    ([name, value]) =>
      /^(?:true|false)$/.test(String(value)) && !/^(?:pretty|envelope)$/.test(name),
  );
  return {
    parameters,
    pageParameters,
    pageSizeParameter: onlyName(sizes),
    countParameter: onlyName(switches),
  };
}

function onlyName(found: Parameters): string | undefined {
  return found.length === 1 ? found[0]?.[0] : undefined;
}

/** Lists names and values, such as `page=1, limit=100`. */
function listOf(found: Parameters, none: string): string {
  const texts = found.slice(0, 10).map(([name, value]) => `${name}=${String(value)}`);
  return texts.join(", ") || none;
}
