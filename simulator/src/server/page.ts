/** The status page at `/`: static files, and their data at `/page.json`. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import { jsonType } from "../api/mediaTypes";
import { requireLoopback } from "./loopbackOnly";
import { type PageSource, pageData } from "./pageData";

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

/**
 * Adds the routes of the page.
 *
 * @param app the server
 * @param source what the page displays
 */
export function servePage(app: FastifyInstance, source: PageSource): void {
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
    scope.get("/page.json", (request, reply) => {
      const body = pageData(source);
      const tag = `"${createHash("sha256").update(body).digest("base64url")}"`;
      reply.header("etag", tag);
      if (request.headers["if-none-match"] === tag) return reply.code(304).send();
      return reply.type(jsonType).send(body);
    });
    done();
  });
}
