/** The status page at `/`: static files, and their data at `/page.json`. */
import { readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { OperationContext } from "../api/operation";
import { jsonType } from "../api/response";
import {
  type Credential,
  clientSettings,
  configCommands,
  credentialsIn,
  labeledAddress,
  labeledCredential,
} from "../clientSettings";
import { connectionStrings } from "../connectionStrings";
import { clustersBelowMinimum, minimumVersion } from "../operations/operations";
import type { Cluster } from "../store/cluster";
import type { Project } from "../store/projects";
import { requireLoopback } from "./control";
import type { Dependencies } from "./requests";

const pageFolder = join(__dirname, "..", "..", "page");
const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};
const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
};

export function servePage(app: FastifyInstance, source: Dependencies): void {
  app.register((scope, _options, done) => {
    scope.addHook("onRequest", (request, reply, next) => {
      requireLoopback(request);
      reply.headers(securityHeaders);
      next();
    });
    for (const file of readdirSync(pageFolder)) {
      const type = contentTypes[extname(file)];
      if (type === undefined) continue;
      const content = readFileSync(join(pageFolder, file));
      const url = file === "index.html" ? "/" : `/page/${file}`;
      scope.get(url, (_request, reply) => reply.type(type).send(content));
    }
    scope.get("/page.json", (_request, reply) => reply.type(jsonType).send(pageData(source)));
    done();
  });
}

/** Maximum number of clusters of a project that the page displays; it only counts the others. */
const maxClusters = 200;
/** Maximum number of clusters that the page names as the reason why private IP mode cannot be disabled. */
const maxOldClusters = 5;
/** Maximum number of requests that the page displays. */
const maxRequests = 50;

function pageData({ context, requestLog }: Dependencies): string {
  const { store, settings } = context;
  return JSON.stringify({
    control: settings.control,
    ...toConnection(context),
    projects: store.projects().map((project) => toProject(project, context)),
    // A digest client sends its first request twice.
    requests: requestLog.requests
      .filter(({ challenged }) => !challenged)
      .slice(-maxRequests)
      .reverse()
      // Without bodies and queries.
      .map((request) => pick(request, ["at", "method", "path", "status", "principal", "faulty"])),
  });
}

/** Returns how clients connect: the address, and each kind of credential with the commands that set all of it. */
function toConnection({ store, settings, documents }: OperationContext) {
  const clientWith = (credential?: Credential) =>
    clientSettings(documents.origin, settings, credential);
  const commandsWith = (credential?: Credential) =>
    configCommands({ ...clientWith(credential), caFile: settings.caFile ?? "ca.pem" });
  const credentials = credentialsIn(store.organizations).map((credential) => ({
    settings: labeledCredential(credential),
    configCommands: commandsWith(credential),
  }));
  const withoutCredentials = { settings: [], configCommands: commandsWith() };
  return {
    caFile: settings.caFile,
    address: labeledAddress(clientWith()),
    credentials: credentials.length === 0 ? [withoutCredentials] : credentials,
  };
}

function toProject(project: Project, context: OperationContext) {
  const oldClusters = clustersBelowMinimum(project);
  return {
    id: project.id,
    name: project.name,
    organization: project.organization.name,
    privateIpMode: project.privateIpMode.enabled,
    minimumVersion,
    oldClusterCount: oldClusters.length,
    oldClusters: oldClusters
      .slice(0, maxOldClusters)
      .map(({ name, version }) => ({ name, version })),
    clusterCount: project.clusters.length,
    clusters: project.clusters
      .slice(0, maxClusters)
      .map((cluster) => toCluster(cluster, project.label, context)),
  };
}

function toCluster(cluster: Cluster, label: string, { settings }: OperationContext) {
  const { privateEndpoints } = cluster;
  return {
    ...pick(cluster, ["name", "type", "version", "state", "provider", "regions", "peering"]),
    privateEndpoints: privateEndpoints.map((endpoint) => pick(endpoint, ["endpointId", "region"])),
    strings: connectionStrings(cluster, label, settings),
  };
}

/** Returns the named properties of an object. */
function pick<T extends object>(from: T, names: readonly (keyof T)[]): object {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}
