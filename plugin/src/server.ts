/** Serves a provider to the engine, by translating between the engine's gRPC protocol and plain functions. */
import { isDeepStrictEqual } from "node:util";
import * as grpc from "@grpc/grpc-js";
import { type PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import {
  type CheckFailure,
  type ReadResult,
  InitializationError,
  errorWithoutStackTrace,
  reportedFailure,
} from "../../provider/src/pluginApi";
import { argumentsFrom, fromStruct, secretNames, toStruct } from "./properties";
import type { ChangeOptions, CloudDbProvider, PluginDiff } from "./provider";

/** The public methods of the provider, so that a test can pass an object with the same methods. */
export type ServedProvider = Pick<CloudDbProvider, keyof CloudDbProvider>;

export interface RunningServer {
  readonly port: number;
  /** Stops accepting calls; resolves when the pending ones are done. */
  stop(): Promise<void>;
}

/** The length that messages may have in both directions, in bytes. The engine has the same limit. */
const maxMessageLength = 400 * 1024 * 1024;

/** Serves a provider on a free port of 127.0.0.1. Throws if none can be bound. */
export async function serve(provider: ServedProvider): Promise<RunningServer> {
  const server = new grpc.Server({
    "grpc.max_receive_message_length": maxMessageLength,
    "grpc.max_send_message_length": maxMessageLength,
  });
  server.addService(ResourceProviderService, handlersOf(provider));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.tryShutdown(() => {
        resolve();
      });
    });
  return { port, stop };
}

/** Creates the handlers of the protocol's methods. The server responds to all other methods with UNIMPLEMENTED. */
function handlersOf(provider: ServedProvider): grpc.UntypedServiceImplementation {
  return {
    handshake: unary(() => new messages.ProviderHandshakeResponse()),
    attach: unary((request: PluginAttach) => {
      provider.attach(request.getAddress());
      return new Empty();
    }),
    getPluginInfo: unary(() => new PluginInfo().setVersion(provider.version)),
    getSchema: unary(() => new messages.GetSchemaResponse().setSchema(provider.schema())),
    cancel: unary(() => {
      provider.cancel();
      return new Empty();
    }),
    ...configurationHandlers(provider),
    ...resourceHandlers(provider),
    invoke: unary(async (request: messages.InvokeRequest) => {
      const args = argumentsFrom(request.getArgs());
      const { outputs, failures = [] } = await provider.invoke(request.getTok(), args);
      const response = new messages.InvokeResponse();
      if (outputs !== undefined) response.setReturn(toStruct(outputs));
      return response.setFailuresList(failures.map(failureMessage));
    }),
  };
}

function configurationHandlers(provider: ServedProvider): grpc.UntypedServiceImplementation {
  return {
    checkConfig: unary(async (request: messages.CheckRequest) => {
      const settings = request.getNews();
      const { inputs = {}, failures = [] } = await provider.checkConfig(
        fromStruct(settings),
        secretNames(settings),
      );
      return checkMessage(toStruct(inputs), failures);
    }),
    // New settings never replace the provider, because that would replace every resource.
    diffConfig: unary((request: messages.DiffRequest) => {
      const olds = fromStruct(request.getOldInputs());
      const news = fromStruct(request.getNews());
      const changes = !isDeepStrictEqual(olds, news);
      return diffMessage({ changes, replaces: [], changed: [], drift: [] });
    }),
    configure: unary((request: messages.ConfigureRequest) => {
      provider.configure(fromStruct(request.getArgs()));
      return new messages.ConfigureResponse().setSupportspreview(true);
    }),
  };
}

function resourceHandlers(provider: ServedProvider): grpc.UntypedServiceImplementation {
  return {
    check: unary(async (request: messages.CheckRequest) => {
      const olds = fromStruct(request.getOlds());
      const news = argumentsFrom(request.getNews());
      const { inputs = news, failures = [] } = await provider.check(request.getUrn(), olds, news);
      return checkMessage(toStruct(inputs), failures);
    }),
    diff: unary(async (request: messages.DiffRequest) => {
      const olds = fromStruct(request.getOlds());
      const news = fromStruct(request.getNews());
      const diff = await provider.diff(request.getUrn(), request.getId(), olds, news);
      return diffMessage(diff);
    }),
    create: unary(async (request: messages.CreateRequest) => {
      const inputs = fromStruct(request.getProperties());
      const { id, outs } = await provider.create(request.getUrn(), inputs, optionsOf(request));
      return new messages.CreateResponse().setId(id).setProperties(toStruct(outs));
    }),
    read: unary(async (request: messages.ReadRequest) => {
      const recorded = fromStruct(request.getProperties());
      return readMessage(await provider.read(request.getUrn(), request.getId(), recorded));
    }),
    update: unary(async (request: messages.UpdateRequest) => {
      const { outs } = await provider.update(
        request.getUrn(),
        request.getId(),
        fromStruct(request.getOlds()),
        fromStruct(request.getNews()),
        optionsOf(request),
      );
      return new messages.UpdateResponse().setProperties(toStruct(outs));
    }),
    delete: unary(async (request: messages.DeleteRequest) => {
      const recorded = fromStruct(request.getProperties());
      const timeout = timeoutOf(request);
      await provider.delete(request.getUrn(), request.getId(), recorded, timeout);
      return new Empty();
    }),
  };
}

function optionsOf(request: messages.CreateRequest | messages.UpdateRequest): ChangeOptions {
  return { preview: request.getPreview(), timeoutSeconds: timeoutOf(request) };
}

/** The longest timer of Node.js, about 25 days, in seconds. A longer one would fire at once. */
const maxTimerSeconds = Math.floor((2 ** 31 - 1) / 1000);

/** Returns the timeout in `customTimeouts`, which the engine sends in seconds, and as 0 if there is none. */
function timeoutOf(request: { getTimeout(): number }): number | undefined {
  const seconds = request.getTimeout();
  return seconds > 0 ? Math.min(seconds, maxTimerSeconds) : undefined;
}

/** Creates the handler of a method. An error becomes a status with its message, which the engine prints. */
function unary<Request, Response>(
  handle: (request: Request) => Response | Promise<Response>,
): grpc.handleUnaryCall<Request, Response> {
  return ({ request }, respond) => {
    Promise.resolve()
      .then(() => handle(request))
      .then(
        (response) => {
          respond(null, response);
        },
        (error: unknown) => {
          respond(statusOf(error));
        },
      );
  };
}

/** Returns the status of an error, with its message, and for a bug with its stack trace. */
function statusOf(error: unknown): Partial<grpc.StatusObject> {
  const safe = errorWithoutStackTrace(error);
  const details = safe instanceof Error ? (safe.stack ?? safe.message) : String(safe);
  const status = { code: grpc.status.UNKNOWN, details };
  if (!(safe instanceof InitializationError)) return status;
  return { ...status, metadata: initializationFailure(safe, details) };
}

/** Encodes, as a google.rpc.Status, what the engine records for a resource whose creation or update failed. */
function initializationFailure(
  { id, properties, reasons }: InitializationError,
  message: string,
): grpc.Metadata {
  const failure = new messages.ErrorResourceInitFailed()
    .setId(id)
    .setProperties(toStruct(properties))
    .setReasonsList([...reasons]);
  const detail = new Any();
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new Status().setCode(grpc.status.UNKNOWN).setMessage(message);
  status.addDetails(detail);
  const metadata = new grpc.Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return metadata;
}

function checkMessage(
  inputs: Struct | undefined,
  failures: readonly CheckFailure[],
): messages.CheckResponse {
  return new messages.CheckResponse()
    .setInputs(inputs)
    .setFailuresList(failures.map(failureMessage));
}

function readMessage({ id = "", props, inputs }: ReadResult): messages.ReadResponse {
  const response = new messages.ReadResponse().setId(id);
  if (props !== undefined) response.setProperties(toStruct(props));
  if (inputs !== undefined) response.setInputs(toStruct(inputs));
  return response;
}

function failureMessage(failure: CheckFailure): messages.CheckFailure {
  const { property, reason } = reportedFailure(failure);
  return new messages.CheckFailure().setProperty(property).setReason(reason);
}

function diffMessage({ changes, replaces, changed, drift }: PluginDiff): messages.DiffResponse {
  const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
  const response = new messages.DiffResponse()
    .setChanges(changes ? DIFF_SOME : DIFF_NONE)
    .setReplacesList(replaces)
    .setDiffsList([...changed])
    .setHasdetaileddiff(drift.length > 0);
  if (drift.length === 0) return response;
  // The engine then shows only these properties. It would show drift as an update from the recorded value, which is the
  // value that the program still wants, to the same value. So drift is an addition, which shows only that value.
  const { ADD, UPDATE } = messages.PropertyDiff.Kind;
  const details = response.getDetaileddiffMap();
  for (const name of changed) details.set(name, new messages.PropertyDiff().setKind(UPDATE));
  for (const name of drift) details.set(name, new messages.PropertyDiff().setKind(ADD));
  return response;
}
