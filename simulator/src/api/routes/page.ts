// The page for people at `/`: static files, and what they show as JSON.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { connectionStrings } from "../../connectionStrings/generate";
import type { Journal } from "../../requests";
import type { Service } from "../operation";
import { requireLoopback } from "../loopbackOnly";

const FOLDER = join(__dirname, "..", "..", "..", "page");
const FILES = [
  { url: "/", file: "index.html", type: "text/html; charset=utf-8" },
  { url: "/page.css", file: "page.css", type: "text/css; charset=utf-8" },
  { url: "/page.js", file: "page.js", type: "text/javascript; charset=utf-8" },
];
const SECURITY = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
};

/** What one look at the page shows at most; the rest is counted. */
const SHOWN_CLUSTERS = 200;
const SHOWN_REQUESTS = 50;

export function servePage(app: FastifyInstance, service: Service, journal: Journal): void {
  app.register((scope, _options, done) => {
    scope.addHook("onRequest", (request, reply, next) => {
      requireLoopback(request);
      reply.headers(SECURITY);
      next();
    });
    for (const { url, file, type } of FILES) {
      const content = readFileSync(join(FOLDER, file));
      scope.get(url, (_request, reply) => reply.type(type).send(content));
    }
    scope.get("/page.json", (request, reply) => {
      const body = JSON.stringify(view(service, journal));
      const tag = `"${createHash("sha256").update(body).digest("base64url")}"`;
      reply.header("etag", tag);
      if (request.headers["if-none-match"] === tag) return reply.code(304).send();
      return reply.type("application/json; charset=utf-8").send(body);
    });
    done();
  });
}

function view({ store, settings }: Service, journal: Journal) {
  return {
    projects: store.projects().map((project) => ({
      id: project.id,
      name: project.name,
      organization: project.organization.name,
      privateIpMode: project.privateIpMode.enabled,
      clusterCount: project.clusters.length,
      clusters: project.clusters.slice(0, SHOWN_CLUSTERS).map((cluster) => ({
        name: cluster.name,
        type: cluster.type,
        version: cluster.version,
        state: cluster.state,
        strings: connectionStrings(cluster, project.label, settings),
      })),
    })),
    requests: journal.requests
      .slice(-SHOWN_REQUESTS)
      .reverse()
      .map(({ at, method, path, status, principal }) => ({ at, method, path, status, principal })),
  };
}
