/**
 * What a team would write instead of installing pulumi-clouddb: two dynamic resources, for one service account. The
 * benchmarks compile and measure it (`npm run bench`), and docs/internals/comparison.md says how it behaves.
 *
 * It leaves out:
 * - the strings in a preview. `create` and `update` look them up, so a preview shows them as unknown.
 * - a list of clusters that all lookups share. Each lookup sends its own request, and another one for a token, because
 *   Pulumi serializes a module's variables as they are when the program runs, and loses what is assigned later.
 * - retries, timeouts and the service's rate limit, so the first failure of the service fails the update.
 * - a proof that the list of clusters is complete, and the check of a new list just before the change.
 * - a change whose response is lost. The update fails, whatever the service did.
 * - a mode that somebody else changed. Only `pulumi refresh` reads it.
 * - the end of a token, which stays valid for an hour.
 * - API keys, proxies, services with other names, the stack's configuration, strings for private endpoints, lists of
 *   hosts, other languages, and messages that say what to do.
 */
import * as pulumi from "@pulumi/pulumi";

interface Cluster {
  readonly name: string;
  readonly dbVersion: string;
  readonly connectionStrings?: { readonly standardSrv?: string; readonly privateSrv?: string };
}

interface LookupInputs {
  readonly projectId: string;
  readonly clusterName: string;
  readonly network?: "internet" | "peering";
}

interface ModeInputs {
  readonly projectId: string;
  readonly enabled: boolean;
}

/** Meant to be shared, but see above. */
let token: Promise<string> | undefined;

async function requestToken(): Promise<string> {
  const { CLOUDDB_BASE_URL, CLOUDDB_CLIENT_ID, CLOUDDB_CLIENT_SECRET } = process.env;
  const credentials = Buffer.from(`${CLOUDDB_CLIENT_ID}:${CLOUDDB_CLIENT_SECRET}`);
  const response = await fetch(`${CLOUDDB_BASE_URL}/api/oauth/token`, {
    method: "POST",
    headers: { authorization: `Basic ${credentials.toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  if (!response.ok) throw new Error(`The token request failed: ${response.status}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

async function send<Body>(method: string, path: string, body?: object): Promise<Body> {
  token ??= requestToken();
  const response = await fetch(`${process.env["CLOUDDB_BASE_URL"]}/api/service/v1.0${path}`, {
    method,
    headers: { authorization: `Bearer ${await token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) {
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  }
  return (await response.json()) as Body;
}

async function lookUp(inputs: LookupInputs) {
  const { projectId, clusterName, network } = inputs;
  const path = `/groups/${projectId}/clusters/${encodeURIComponent(clusterName)}`;
  const { connectionStrings = {} } = await send<Cluster>("GET", path);
  const { standardSrv, privateSrv } = connectionStrings;
  const recommended = network === "peering" ? privateSrv : standardSrv;
  if (recommended === undefined) throw new Error(`The cluster ${clusterName} has no such string.`);
  return { ...inputs, recommended };
}

async function clustersBelowMinimum(projectId: string): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/groups/${projectId}/clusters?itemsPerPage=500&pageNum=${page}`;
    const { results } = await send<{ results: Cluster[] }>("GET", path);
    for (const { name, dbVersion } of results) {
      if (Number.parseInt(dbVersion, 10) < 7) found.push(`${name} ${dbVersion}`);
    }
    if (results.length < 500) return found;
  }
}

async function setMode({ projectId, enabled }: ModeInputs) {
  await send("PATCH", `/groups/${projectId}/privateIpMode`, { enabled });
  return { projectId, enabled };
}

const lookups: pulumi.dynamic.ResourceProvider<LookupInputs, Awaited<ReturnType<typeof lookUp>>> = {
  diff: async (_id, olds, news) => {
    const isReplaced = olds.projectId !== news.projectId || olds.clusterName !== news.clusterName;
    const { recommended } = await lookUp(news);
    return {
      changes: isReplaced || recommended !== olds.recommended,
      replaces: isReplaced ? ["clusterName"] : [],
      deleteBeforeReplace: true,
    };
  },
  create: async (inputs) => ({
    id: `${inputs.projectId}/${inputs.clusterName}`,
    outs: await lookUp(inputs),
  }),
  update: async (_id, _olds, news) => ({ outs: await lookUp(news) }),
  read: async (id, props) => (props === undefined ? { id } : { id, props: await lookUp(props) }),
};

const modes: pulumi.dynamic.ResourceProvider<ModeInputs, ModeInputs> = {
  check: async (olds: Partial<ModeInputs>, news) => {
    if (news.enabled || olds.enabled === false) return { inputs: news };
    const found = await clustersBelowMinimum(news.projectId);
    if (found.length === 0) return { inputs: news };
    const reason = `these clusters run a version below 7.0: ${found.join(", ")}`;
    return { inputs: news, failures: [{ property: "enabled", reason }] };
  },
  diff: (_id, olds, news) =>
    Promise.resolve({
      changes: olds.enabled !== news.enabled || olds.projectId !== news.projectId,
      replaces: olds.projectId === news.projectId ? [] : ["projectId"],
    }),
  create: async (inputs) => ({ id: inputs.projectId, outs: await setMode(inputs) }),
  update: async (_id, _olds, news) => ({ outs: await setMode(news) }),
  read: async (id, props) => {
    const { enabled } = await send<ModeInputs>("GET", `/groups/${id}/privateIpMode`);
    return { id, props: { ...props, projectId: id, enabled } };
  },
};

/** Looks up the string of a cluster. */
export class Lookup extends pulumi.dynamic.Resource {
  declare readonly recommended: pulumi.Output<string>;

  constructor(name: string, args: LookupInputs, options?: pulumi.CustomResourceOptions) {
    super(lookups, name, { recommended: undefined, ...args }, options);
  }
}

/** Turns private IP mode of a project on or off. */
export class Mode extends pulumi.dynamic.Resource {
  declare readonly enabled: pulumi.Output<boolean>;

  constructor(name: string, args: ModeInputs, options?: pulumi.CustomResourceOptions) {
    super(modes, name, args, options);
  }
}
