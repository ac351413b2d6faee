/** The plugin in this process, and the calls that only an engine with a plugin makes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import * as engineMessages from "@pulumi/pulumi/proto/engine_pb";
import { PluginAttach, type PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { CloudDbProvider } from "../../../plugin/src/provider";
import { serve } from "../../../plugin/src/server";
import { type Cleanup, useCleanup } from "../../support/cleanup";
import {
  type Lifecycle,
  type Properties,
  type ProviderCalls,
  call,
  connectToProvider,
} from "../providerCalls";
import { startEngineServer } from "../../support/engineServer";
import { urnOf } from "../providerProcess";
import { type Service, settingsFor, useService } from "../../support/service";

/** Properties of a message, as the protocol encodes them. */
type Values = Record<string, JavaScriptValue>;

export type Plugin = ReturnType<typeof pluginCalls>;

interface StartOptions {
  /** Environment variables. Default: the settings for the service */
  readonly environment?: Record<string, string>;
  /** The engine's address. Default: the address of an engine that does not listen */
  readonly engine?: string;
}

/** Runs a service during all tests of the enclosing `describe`, and stops its plugins after each test. */
export function usePlugin(): {
  readonly service: Service;
  readonly start: (options?: StartOptions) => Promise<Plugin>;
} {
  const cleanup = useCleanup("test");
  const service = useService();
  const start = async ({ environment = settingsFor(service), engine }: StartOptions = {}) => {
    const port = await serveInProcess(cleanup, environment, engine);
    const credentials = grpc.credentials.createInsecure();
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials);
    cleanup(() => {
      client.close();
    });
    return pluginCalls(client, port, cleanup);
  };
  return { service, start };
}

async function serveInProcess(
  cleanup: Cleanup,
  environment: Record<string, string>,
  engine: string | undefined,
): Promise<string> {
  const modules = { grpc, services, messages: engineMessages };
  const engineAddress = engine ?? (await startEngineServer(cleanup)).address;
  const provider = new CloudDbProvider({ engineAddress, modules, environment });
  const server = await serve(provider);
  cleanup(() => server.stop());
  cleanup(() => {
    provider.cancel();
  });
  return String(server.port);
}

/** Returns the calls that only an engine with a plugin makes. */
function pluginCalls(client: ResourceProviderClient, port: string, cleanup: Cleanup) {
  const struct = (values: Values) => Struct.fromJavaScript(values);
  return {
    /** Returns the calls for one resource. */
    resource(type: Lifecycle, name?: string): ProviderCalls {
      const connection = connectToProvider(port, { urn: urnOf(type, name) });
      cleanup(connection.close);
      return connection;
    },
    async configure(settings: Values) {
      await call(client, "configure", new messages.ConfigureRequest().setArgs(struct(settings)));
    },
    /** Passes the address of an engine that did not start the plugin. */
    async attach(engine: string) {
      await call(client, "attach", new PluginAttach().setAddress(engine));
    },
    async checkConfig(settings: Values) {
      const request = new messages.CheckRequest().setNews(struct(settings));
      const response = await call<messages.CheckResponse>(client, "checkConfig", request);
      return response
        .getFailuresList()
        .map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() }));
    },
    async diffConfig(olds: Values, news: Values) {
      const request = new messages.DiffRequest().setOldInputs(struct(olds)).setNews(struct(news));
      const response = await call<messages.DiffResponse>(client, "diffConfig", request);
      const changes = response.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME;
      return { changes, replaces: response.getReplacesList() };
    },
    /** Returns the properties that the diff reports as changed, and those that differ from the service. */
    async diff(type: Lifecycle, olds: Properties, news: Properties) {
      const request = new messages.DiffRequest().setUrn(urnOf(type));
      request.setOlds(struct(olds as Values)).setNews(struct(news as Values));
      const response = await call<messages.DiffResponse>(client, "diff", request);
      const { ADD } = messages.PropertyDiff.Kind;
      const drift = [...response.getDetaileddiffMap().entries()]
        .filter(([, diff]) => diff.getKind() === ADD && !diff.getInputdiff())
        .map(([name]) => name);
      return { changed: response.getDiffsList(), drift };
    },
    async createInPreview(type: Lifecycle, inputs: Values): Promise<Properties> {
      const request = new messages.CreateRequest().setUrn(urnOf(type)).setPreview(true);
      request.setProperties(struct(inputs));
      const response = await call<messages.CreateResponse>(client, "create", request);
      return response.getProperties()?.toJavaScript() ?? {};
    },
    async invoke(name: string, args: Values) {
      const token = `clouddb:index:${name}`;
      const request = new messages.InvokeRequest().setTok(token).setArgs(struct(args));
      const response = await call<messages.InvokeResponse>(client, "invoke", request);
      const outputs: Properties = response.getReturn()?.toJavaScript() ?? {};
      return {
        outputs,
        failures: response.getFailuresList().map((failure) => failure.getReason()),
      };
    },
    async schema() {
      const request = new messages.GetSchemaRequest();
      return (await call<messages.GetSchemaResponse>(client, "getSchema", request)).getSchema();
    },
    async version() {
      return (await call<PluginInfo>(client, "getPluginInfo", new Empty())).getVersion();
    },
    async cancel() {
      await call(client, "cancel", new Empty());
    },
  };
}

/** Marks a value as a secret, as the engine does in the settings of a provider. */
export function asSecret(value: JavaScriptValue): Values {
  return { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value };
}

/** Returns the version in the package.json of the plugin. */
export function packageVersion(): string {
  const text = readFileSync(join(__dirname, "../../../plugin/package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
