/** The status page at `/`: static files, and their data at `/page.json`. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Service } from "../api/operation";
import { connectionStrings } from "../connectionStrings/generate";
import { jsonType } from "../api/mediaTypes";
import { requireLoopback } from "./loopbackOnly";
import type { RequestLog } from "./requestLog";

const pageFolder = join(__dirname, "..", "..", "page");
const pageFiles = [
  { url: "/", file: "index.html", type: "text/html; charset=utf-8" },
  { url: "/page.css", file: "page.css", type: "text/css; charset=utf-8" },
  { url: "/page.js", file: "page.js", type: "text/javascript; charset=utf-8" },
];
const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
};

/** Clusters of a project that the page displays; it displays only the number of the others. */
const maxClusters = 200;
/** Requests that the page displays. */
const maxRequests = 50;

/**
 * Adds the routes of the page.
 *
 * @param app the server
 * @param service the service whose data the page displays
 * @param requestLog the requests that the page displays
 */
export function servePage(app: FastifyInstance, service: Service, requestLog: RequestLog): void {
  app.register((scope, _options, done) => {
    scope.addHook("onRequest", (request, reply, next) => {
      requireLoopback(request);
      reply.headers(securityHeaders);
      next();
    });
    for (const { url, file, type } of pageFiles) {
      const content = readFileSync(join(pageFolder, file));
      scope.get(url, (_request, reply) => reply.type(type).send(content));
    }
    scope.get("/page.json", (request, reply) => {
      const body = JSON.stringify(pageData(service, requestLog));
      const tag = `"${createHash("sha256").update(body).digest("base64url")}"`;
      reply.header("etag", tag);
      if (request.headers["if-none-match"] === tag) return reply.code(304).send();
      return reply.type(jsonType).send(body);
    });
    done();
  });
}

function pageData({ store, settings }: Service, requestLog: RequestLog) {
  return {
    projects: store.projects().map((project) => ({
      id: project.id,
      name: project.name,
      organization: project.organization.name,
      privateIpMode: project.privateIpMode.enabled,
      clusterCount: project.clusters.length,
      clusters: project.clusters.slice(0, maxClusters).map((cluster) => ({
        name: cluster.name,
        type: cluster.type,
        version: cluster.version,
        state: cluster.state,
        strings: connectionStrings(cluster, project.label, settings),
      })),
    })),
    requests: requestLog.requests
      .slice(-maxRequests)
      .reverse()
      .map(({ at, method, path, status, principal }) => ({ at, method, path, status, principal })),
  };
}
