/** Generates the OpenAPI 3.1 document from the operations and schemas. */
import { z } from "zod";
import { operations } from "../operations/operations";
import { type Settings, revokePathOf } from "../seed/settings";
import { entitySchemas, errorSchema, tokenSchema } from "./entities";
import type { Operation } from "./operation";
import { maxItemsPerPage, maxPage } from "./request";
import { mediaTypesOf } from "./response";

type Json = Record<string, unknown>;

export function openApiDocument(origin: string, settings: Settings): Json {
  const { apiPath, tokenPath, fieldPrefix } = settings;
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = `${apiPath}${operation.path.replace(/:(\w+)/g, "{$1}")}`;
    (paths[path] ??= {})[operation.method.toLowerCase()] = describeOperation(operation, settings);
  }
  paths[tokenPath] = {
    post: formOperation(
      "issueToken",
      "Issues an access token to a service account",
      { grant_type: { const: "client_credentials" } },
      { description: "The token", content: json(reference("Token")) },
      [403, 429],
    ),
  };
  paths[revokePathOf(settings)] = {
    post: formOperation(
      "revokeToken",
      "Revokes an access token of a service account (RFC 7009)",
      { token: { type: "string" } },
      { description: "The token is not valid, or no longer" },
    ),
  };
  const schemas = { ...entitySchemas(fieldPrefix), Error: errorSchema, Token: tokenSchema };
  const content = json(entityOrEnvelope("Error", { type: "integer" }));
  return document(origin, "Cloud database administration service, simulated", paths, {
    security: [{ apiKey: [] }, { serviceAccount: [] }],
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, jsonSchema(schema, "output")]),
      ),
      responses: { Error: { description: "Error", content } },
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "digest",
          description: "Public key as user name, private key as password",
        },
        serviceAccount: { type: "http", scheme: "bearer" },
        clientCredentials: { type: "http", scheme: "basic" },
      },
    },
  });
}

function document(origin: string, title: string, paths: Json, more: Json): Json {
  const license = { name: "Apache-2.0", identifier: "Apache-2.0" };
  const description = "Every GET operation also supports HEAD, which returns only the headers.";
  const info = { title, version: "1.0", description, license };
  return { openapi: "3.1.0", info, servers: [{ url: origin }], paths, ...more };
}

/** A route as the OpenAPI document of `/control` describes it. */
export interface DescribedRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below `/control`, with `:name` for parameters. */
  readonly path: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly query?: Readonly<Record<string, z.ZodType>> | undefined;
}

export function controlDocument(origin: string, routes: readonly DescribedRoute[]): Json {
  const paths: Record<string, Json> = {};
  for (const { method, path, summary, body, query = {} } of routes) {
    const isCreation = method === "POST" && /(?:projects|clusters)$/.test(path);
    (paths[`/control${path.replace(/:(\w+)/g, "{$1}")}`] ??= {})[method.toLowerCase()] = {
      summary,
      parameters: [
        ...pathParameters(path),
        ...Object.entries(query).map(([name, schema]) => ({
          name,
          in: "query",
          required: !schema.safeParse(undefined).success,
          schema: jsonSchema(schema, "input"),
        })),
      ],
      ...bodyOf(body),
      responses: {
        [isCreation ? 201 : 200]: { description: summary, content: json({ type: "object" }) },
        default: { description: "Error", content: json(jsonSchema(errorSchema, "output")) },
      },
    };
  }
  return document(origin, "Control of the simulator", paths, { security: [] });
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, parameter = ""]) => ({
    name: parameter,
    in: "path",
    required: true,
    schema:
      parameter === "projectId"
        ? { type: "string", pattern: "^[0-9a-f]{24}$" }
        : { type: "string" },
  }));
}

function describeOperation(operation: Operation, { fieldPrefix, versions }: Settings): Json {
  const { name, summary, status = 200, entityName, list, body } = operation;
  const mediaTypes = mediaTypesOf(versions, entityName);
  return {
    operationId: name,
    summary,
    parameters: [
      ...pathParameters(operation.path),
      ...commonParameters,
      ...(list ? pagingParameters : []),
    ],
    ...bodyOf(body?.(fieldPrefix)),
    responses: {
      [status]: {
        description: summary,
        content: contentOf(
          mediaTypes,
          list ? listOf(entityName) : entityOrEnvelope(entityName, { const: status }),
        ),
      },
      ...errorResponses(operation, versions !== undefined),
    },
  };
}

function errorResponses(operation: Operation, hasVersions: boolean): Json {
  const statuses = [400, 401, 403, 405];
  if (hasVersions) statuses.push(406, 410);
  if (operation.role !== undefined) statuses.push(404, 429);
  if (operation.method !== "GET") statuses.push(409);
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: "#/components/responses/Error" }]),
  );
}

/** Describes an operation of a service account that requires all fields of a form. */
function formOperation(
  operationId: string,
  summary: string,
  properties: Json,
  response: Json,
  errors: readonly number[] = [],
): Json {
  const schema = { type: "object", properties, required: Object.keys(properties) };
  const error = { $ref: "#/components/responses/Error" };
  return {
    operationId,
    summary,
    security: [{ clientCredentials: [] }],
    requestBody: { required: true, content: { "application/x-www-form-urlencoded": { schema } } },
    responses: {
      200: response,
      ...Object.fromEntries([400, 401, ...errors, 405].map((status) => [status, error])),
    },
  };
}

function entityOrEnvelope(name: string, status: Json): Json {
  const envelope = {
    type: "object",
    properties: { status, content: reference(name) },
    required: ["status", "content"],
    additionalProperties: false,
  };
  return { anyOf: [reference(name), envelope] };
}

function listOf(name: string): Json {
  return {
    type: "object",
    properties: {
      links: {
        type: "array",
        minItems: 1,
        maxItems: 3,
        items: {
          type: "object",
          properties: {
            rel: { enum: ["self", "previous", "next"] },
            href: { type: "string", format: "uri" },
          },
          required: ["rel", "href"],
        },
      },
      results: { type: "array", maxItems: maxItemsPerPage, items: reference(name) },
      totalCount: { type: "integer", minimum: 0 },
      status: { const: 200 },
    },
    required: ["links", "results"],
    additionalProperties: false,
  };
}

const commonParameters = [
  parameter("pretty", { type: "boolean", default: false }),
  parameter("envelope", { type: "boolean", default: false }),
];
const wholeNumber = { type: "integer", minimum: 1 };
const pagingParameters = [
  parameter("pageNum", { ...wholeNumber, maximum: maxPage, default: 1 }),
  parameter("itemsPerPage", { ...wholeNumber, maximum: maxItemsPerPage, default: 100 }),
  parameter("includeCount", { type: "boolean", default: true }),
];

function parameter(name: string, schema: Json): Json {
  return { name, in: "query", required: false, schema };
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: "draft-2020-12" });
  return rest;
}

function bodyOf(schema: z.ZodType | undefined): Json {
  if (schema === undefined) return {};
  return { requestBody: { required: true, content: json(jsonSchema(schema, "input")) } };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function json(schema: Json): Json {
  return contentOf(["application/json"], schema);
}

function contentOf(mediaTypes: readonly string[], schema: Json): Json {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));
}
