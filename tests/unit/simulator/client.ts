/** An HTTPS client with its own RFC 7616, so that it verifies that of the simulator independently. */
import { createHash, randomBytes } from "node:crypto";
import { Agent, type RequestOptions, request } from "node:https";
import type { Link } from "../../../simulator/src/api/entities";
import type { connectionStrings } from "../../../simulator/src/connectionStrings";

export interface Response {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export interface Sending {
  method?: string | undefined;
  headers?: Record<string, string>;
  body?: string | undefined;
  localAddress?: string | undefined;
}

export interface Service {
  url: string;
  ca: string;
  /** Default: the path in the service document. */
  apiPath?: string;
}

export const projectId = "64a0c0ffee0000000000a001";
export const apiPath = "/api/service/v1.0";
export const clustersPath = `/groups/${projectId}/clusters`;
export const modePath = `/groups/${projectId}/privateIpMode`;

const agents = new Map<string, Agent>();

/** Sends one request. Rejects if the connection fails or the certificate is not trusted. */
export function send(service: Service, path: string, sending: Sending = {}): Promise<Response> {
  const { method = "GET", headers = {}, body, localAddress } = sending;
  let agent = agents.get(service.ca);
  if (!agent) {
    agent = new Agent({ ca: service.ca, keepAlive: true });
    agents.set(service.ca, agent);
  }
  const options: RequestOptions = { method, headers, agent };
  // Verify the certificate for localhost, whatever Host header the test sends.
  if (headers.host !== undefined) options.servername = "localhost";
  if (localAddress !== undefined) options.localAddress = localAddress;
  if (body !== undefined) headers["content-length"] = String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, service.url), options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: Buffer.concat(chunks).toString(),
        });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

export interface Key {
  publicKey: string;
  privateKey: string;
}

export const ownerKey: Key = { publicKey: "demo", privateKey: "demo-secret" };

type Challenge = Readonly<Record<string, string>>;

/** Returns the parameters of a digest challenge, such as `nonce`. */
export function challengeIn(response: Response): Challenge {
  const header = String(response.headers["www-authenticate"]);
  const parameters = header.matchAll(/(\w+)=(?:"([^"]*)"|([^,]*))/g);
  return Object.fromEntries(
    Array.from(parameters, ([, name = "", quoted, token = ""]) => [name, quoted ?? token]),
  );
}

/** Returns the `Authorization` header that responds to a digest challenge. */
export function sign(
  challenge: Challenge,
  key: Key,
  method: string,
  target: string,
  count = 1,
): string {
  const hash = (text: string) => createHash("md5").update(text).digest("hex");
  const nc = count.toString(16).padStart(8, "0");
  const cnonce = randomBytes(8).toString("hex");
  const first = hash(`${key.publicKey}:${challenge.realm}:${key.privateKey}`);
  const second = hash(`${method}:${target}`);
  const response = hash(`${first}:${challenge.nonce}:${nc}:${cnonce}:auth:${second}`);
  return (
    `Digest username="${key.publicKey}", realm="${challenge.realm}", nonce="${challenge.nonce}", ` +
    `uri="${target}", algorithm=${challenge.algorithm}, response="${response}", qop=auth, ` +
    `nc=${nc}, cnonce="${cnonce}"`
  );
}

export interface AuthenticatedSending extends Sending {
  /** Default: the owner. */
  key?: Key;
  /** Sent as the body. */
  json?: unknown;
}

/** Sends an authenticated request. `path` is relative to the API path. */
export async function call(
  service: Service,
  path: string,
  sending: AuthenticatedSending = {},
): Promise<Response> {
  const { key = ownerKey, json, ...rest } = sending;
  const target = `${service.apiPath ?? apiPath}${path}`;
  const method = rest.method ?? "GET";
  const challenge = challengeIn(await send(service, target, { method }));
  const headers: Record<string, string> = {
    ...rest.headers,
    authorization: sign(challenge, key, method, target),
  };
  if (json !== undefined) {
    headers["content-type"] ??= "application/json";
    rest.body = JSON.stringify(json);
  }
  return send(service, target, { ...rest, headers });
}

/** Sends an authenticated PATCH with a JSON body. */
export function patch(service: Service, path: string, json: unknown): Promise<Response> {
  return call(service, path, { method: "PATCH", json });
}

/** Parses the JSON body of a response. The test chooses the type. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- saves a cast in every test
export function json<T>(response: Response): T {
  return JSON.parse(response.text) as T;
}

export interface ErrorBody {
  detail: string;
  error: number;
  errorCode: string;
  parameters: (string | number)[];
  reason: string;
}

export interface ClusterBody {
  name: string;
  connectionStrings: ReturnType<typeof connectionStrings>;
}

export interface ListBody<T> {
  links: Link[];
  results: T[];
  totalCount?: number;
}

/** Returns the path of a link, relative to the API path. */
export function pathOf(link: Link | undefined): string {
  const { pathname, search } = new URL(link?.href ?? "");
  return pathname.slice(apiPath.length) + search;
}
