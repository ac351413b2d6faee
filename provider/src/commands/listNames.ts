/**
 * Finds the names that a service gives to the parameters and the count of its lists, which the service document does
 * not show (4.3). Sends GET requests for the list of clusters.
 */
import { type MessageText, type Words, escapeText, joined } from "../messages/text";
import { Client, type ClientSettings } from "../service/client";
import { ApiError } from "../service/errors";
import type { ListNames } from "../service/paging";
import { isRecord } from "../service/schemas";

export interface FoundListNames {
  /** The names that the responses show; undefined if they do not show all that are needed. */
  readonly names: ListNames | undefined;
  /** What the service returned, as sentences. Safe to print. */
  readonly seen: MessageText;
}

export async function findListNames(
  settings: ClientSettings,
  projectId: string,
): Promise<FoundListNames> {
  const seen: Words[] = [];
  try {
    const names = await readNames(settings, projectId, seen);
    return { names, seen: joined(seen, " ") };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { names: undefined, seen: joined([...seen, error.text], " ") };
  }
}

/** Adds what the service returned to `seen`. Throws an `ApiError` if a request fails. */
async function readNames(
  settings: ClientSettings,
  projectId: string,
  seen: Words[],
): Promise<ListNames | undefined> {
  const links = await withClient(settings, (client) => client.getClustersPage(projectId, {}));
  const { parameters, pageParameter, pageSizeParameter, ...others } = parametersIn(links);
  const { countParameter = settings.countParameter } = others;
  seen.push(`The links of a page have ${listOf(parameters, "no parameters")}.`);
  if (pageParameter === undefined || pageSizeParameter === undefined) return undefined;
  const query = { [pageParameter]: "1", [pageSizeParameter]: "1", [countParameter]: "true" };
  const page = await withClient(settings, (client) => client.getClustersPage(projectId, query));
  const found = { ...settings, pageParameter, pageSizeParameter, countParameter };
  const paths = settings.clusterPaths.slice(0, 1);
  const list = await withClient(found, (client) => client.listClusters(projectId, paths));
  const read = list.records.length;
  const { length } = Array.isArray(page["results"]) ? page["results"] : [];
  const numbers = Object.entries(page).filter(([, value]) => Number.isInteger(value));
  seen.push(
    `With ${escapeText(pageSizeParameter)}=1, a page has ${length} of ${read} clusters, and ${listOf(numbers, "no number")}. Only a number above 1 that equals the number of clusters can be their count.`,
  );
  // On a page with all clusters, a count of the page would look like one of the list.
  const counts = numbers.filter(([, value]) => length === 1 && read > 1 && value === read);
  const countField = onlyName(counts);
  if (countField === undefined) return undefined;
  return { pageParameter, pageSizeParameter, countParameter, countField };
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
  const pageParameter = onlyName(next) ?? onlyName(first);
  const sizes = parameters.filter(([name, value]) => name !== pageParameter && Number(value) > 1);
  const switches = parameters.filter(
    ([name, value]) =>
      /^(?:true|false)$/.test(String(value)) && !/^(?:pretty|envelope)$/.test(name),
  );
  return {
    parameters,
    pageParameter,
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
  return texts.length === 0 ? none : escapeText(texts.join(", "), 300);
}
