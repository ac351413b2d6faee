/** Lists existing resources by type token, for `pulumi do` and for imports. */
import { findClusters } from "../../provider/src/clusterConnectionStrings/lookup";
import type { PropertyBag } from "../../provider/src/engine/lifecycle";
import { type SchemasOf, mustBe, readArguments } from "../../provider/src/messages/arguments";
import { ProviderError } from "../../provider/src/messages/errors";
import { escapeText } from "../../provider/src/messages/text";
import * as z from "../../provider/src/messages/zod";
import { pagingAdvice } from "../../provider/src/service/paging";
import type { Session } from "../../provider/src/service/session";

/** An existing resource, with the ID for an import and a name for the program. */
export interface ListedResource {
  readonly id: string;
  readonly name: string;
}

/** Which projects to list. */
export interface ListPrivateIpModesArgs {
  /** Lists only the projects whose private IP mode is on, or off. */
  readonly enabled?: boolean | undefined;
}

const modesArgs = z.strictObject({
  enabled: z.optional(z.boolean(mustBe("a boolean"))),
} satisfies SchemasOf<ListPrivateIpModesArgs>);

/** The lists by the tokens of the types. */
export const lists: ReadonlyMap<
  string,
  (session: Session, query: PropertyBag) => Promise<readonly ListedResource[]>
> = new Map([
  ["clouddb:index:PrivateIpMode", listModes],
  ["clouddb:index:ClusterConnectionStrings", listClusters],
]);

async function listModes({ client }: Session, query: PropertyBag): Promise<ListedResource[]> {
  const { enabled } = readArguments(modesArgs, "arguments of the list", query);
  const { entities, incomplete } = await client.listProjects();
  const ids = entities.flatMap(({ id }) => id ?? []);
  if (incomplete !== undefined || ids.length < entities.length) {
    const why = incomplete ?? "the service returned a project without an ID";
    throw new ProviderError(`the list of projects may be incomplete: ${why}. ${pagingAdvice}`, {
      code: "incomplete-list",
    });
  }
  const listed: ListedResource[] = [];
  for (const id of ids.sort()) {
    if (enabled === undefined || (await isEnabled(client, id)) === enabled) {
      listed.push({ id, name: id });
    }
  }
  return listed;
}

async function isEnabled(client: Session["client"], projectId: string): Promise<boolean> {
  const mode = await client.getPrivateIpMode(projectId);
  if (mode !== undefined) return mode;
  throw new ProviderError(
    `the service does not return the private IP mode of project ${escapeText(projectId)}. Omit enabled to list all projects.`,
  );
}

async function listClusters(session: Session, query: PropertyBag): Promise<ListedResource[]> {
  const { projectId, clusters } = await findClusters(session, query);
  return clusters.map(({ name }) => ({ id: `${projectId}/${name}`, name }));
}
