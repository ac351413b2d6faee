/** The engine's calls to a provider process, over gRPC. */
import assert from "node:assert/strict";
import { Metadata, credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";

export type Properties = Record<string, unknown>;

/** A failure of `check`. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/** The calls for the resources of one type. */
export interface ProviderCalls {
  readonly check: (
    news: Properties,
    olds?: Properties,
  ) => Promise<{ inputs: Properties; failures: CheckFailure[] }>;
  readonly diff: (
    id: string,
    olds: Properties,
    news: Properties,
  ) => Promise<{ changes: boolean; replaces: string[] }>;
  readonly create: (
    inputs: Properties,
    timeoutSeconds?: number,
  ) => Promise<{ id: string; outs: Properties }>;
  readonly read: (
    id: string,
    props: Properties,
  ) => Promise<{ id: string; props: Properties; inputs: Properties }>;
  readonly update: (
    id: string,
    olds: Properties,
    news: Properties,
    timeoutSeconds?: number,
  ) => Promise<Properties>;
  readonly delete: (id: string, props: Properties) => Promise<void>;
}

export type Lifecycle = "privateIpMode" | "clusterConnectionStrings" | "databaseUrl";

/** A running process, or a stand-in for one. */
export interface ProviderProcess extends ProviderCalls {
  /** Returns the calls for the resources of another type in the same process. */
  readonly resource: (lifecycle: Lifecycle) => ProviderCalls;
  /** Returns everything that the process wrote to standard output and error. */
  readonly output: () => string;
  /** The port of the process, on 127.0.0.1. */
  readonly port: string;
  readonly pid: number | undefined;
  readonly stop: () => Promise<void>;
}

/** A connection to a provider process. */
export interface ProviderConnection extends ProviderCalls {
  readonly configure: () => Promise<void>;
  readonly close: () => void;
}

/** How a process identifies a resource. */
export interface Resource {
  /** For a dynamic provider: the serialized provider, as the state of each resource holds it. */
  readonly text?: string;
  /** For a plugin. */
  readonly urn?: string;
  /** The name that the program of a dynamic provider passes for a PrivateIpMode. */
  readonly name?: string;
}

export function connectToProvider(
  port: string,
  { text, urn = "", name }: Resource,
): ProviderConnection {
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const fromProgram = text === undefined ? {} : { __provider: text };
  const identity = name === undefined ? {} : { __resource: name };
  const struct = (properties: Properties) =>
    Struct.fromJavaScript({ ...properties, ...fromProgram });
  return {
    async configure() {
      await call(client, "configure", new messages.ConfigureRequest().setArgs(new Struct()));
    },
    async check(news, olds = {}) {
      const request = new messages.CheckRequest().setUrn(urn).setOlds(struct(olds));
      request.setNews(struct({ ...identity, ...news }));
      const response = await call<messages.CheckResponse>(client, "check", request);
      const failures = response.getFailuresList();
      for (const failure of failures) assertPrintable(failure.getReason());
      return {
        inputs: plain(response.getInputs()),
        failures: failures.map((f) => ({ property: f.getProperty(), reason: f.getReason() })),
      };
    },
    async diff(id, olds, news) {
      const request = new messages.DiffRequest().setUrn(urn).setId(id);
      request.setOlds(struct(olds)).setNews(struct(news));
      const response = await call<messages.DiffResponse>(client, "diff", request);
      const changes = response.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME;
      return { changes, replaces: response.getReplacesList() };
    },
    async create(inputs, timeoutSeconds = 0) {
      const request = new messages.CreateRequest().setUrn(urn).setProperties(struct(inputs));
      request.setTimeout(timeoutSeconds);
      const response = await call<messages.CreateResponse>(client, "create", request);
      return { id: response.getId(), outs: plain(response.getProperties()) };
    },
    async read(id, props) {
      const request = new messages.ReadRequest().setUrn(urn).setId(id).setProperties(struct(props));
      const response = await call<messages.ReadResponse>(client, "read", request);
      const [read, inputs] = [response.getProperties(), response.getInputs()].map(plain);
      return { id: response.getId(), props: read ?? {}, inputs: inputs ?? {} };
    },
    async update(id, olds, news, timeoutSeconds = 0) {
      const request = new messages.UpdateRequest().setUrn(urn).setId(id).setTimeout(timeoutSeconds);
      request.setOlds(struct(olds)).setNews(struct(news));
      const response = await call<messages.UpdateResponse>(client, "update", request);
      return plain(response.getProperties());
    },
    async delete(id, props) {
      const request = new messages.DeleteRequest().setUrn(urn).setId(id);
      await call(client, "delete", request.setProperties(struct(props)));
    },
    close: () => {
      client.close();
    },
  };
}

type Method =
  | keyof ProviderCalls
  | "configure"
  | "checkConfig"
  | "diffConfig"
  | "invoke"
  | "attach"
  | "getSchema"
  | "getPluginInfo"
  | "cancel";

/** Makes one call. The methods of the generated client have the same shape but separate types. */
export function call<Response>(
  client: ResourceProviderClient,
  method: Method,
  request: unknown,
): Promise<Response> {
  const unary = client as unknown as Record<
    Method,
    (request: unknown, done: (error: Error | null, response: Response) => void) => void
  >;
  return new Promise((resolve, reject) => {
    unary[method](request, (error, response) => {
      if (error === null) resolve(response);
      else reject(printable(error));
    });
  });
}

/** Fails if a message contains characters that control a terminal or reorder text. */
export function assertPrintable(message: string): void {
  assert.doesNotMatch(message, /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u);
}

function printable(error: Error): Error {
  assertPrintable(error.message);
  return Object.assign(error, partialStateIn(error));
}

/** Returns what the engine records although a creation or an update failed. */
function partialStateIn(error: Error): { id?: string; properties?: Properties } {
  const metadata = "metadata" in error ? error.metadata : undefined;
  const [encoded] =
    metadata instanceof Metadata ? metadata.get("grpc-status-details-bin") : [undefined];
  if (!(encoded instanceof Uint8Array)) return {};
  const [detail] = Status.deserializeBinary(encoded).getDetailsList();
  if (detail === undefined) return {};
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
  return { id: failed.getId(), properties: plain(failed.getProperties()) };
}

function plain(struct: Struct | undefined): Properties {
  const { __provider, ...properties } = struct?.toJavaScript() ?? {};
  return properties;
}
