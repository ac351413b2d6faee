/**
 * The real provider process, driven over gRPC as the engine drives it. It runs in the quickstart's
 * folder, so that it finds pulumi-clouddb as a user's program would.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { providerText } from "../../provider/src/program/providerText";

type Properties = Record<string, unknown>;

/** What the engine sends in place of a value that a preview does not know yet. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export interface ProviderProcess {
  readonly check: (
    news: Properties,
    olds?: Properties,
  ) => Promise<{ inputs: Properties; failures: { property: string; reason: string }[] }>;
  readonly diff: (
    id: string,
    olds: Properties,
    news: Properties,
  ) => Promise<{ changes: boolean; replaces: string[] }>;
  readonly create: (inputs: Properties) => Promise<{ id: string; outs: Properties }>;
  readonly read: (
    id: string,
    props: Properties,
  ) => Promise<{ id: string; props: Properties; inputs: Properties }>;
  readonly update: (id: string, olds: Properties, news: Properties) => Promise<Properties>;
  readonly delete: (id: string, props: Properties) => Promise<void>;
  /** Returns all that the process wrote to standard output and error. */
  readonly output: () => string;
  /** For a signal to the process. */
  readonly pid: number | undefined;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a process for one resource type, configured as by the stack's configuration.
 *
 * @param engine the engine's address; processes of one run of the engine are given the same one
 */
export function startProvider(
  lifecycle: "privateIpMode" | "clusterConnectionStrings",
  configuration: Record<string, string>,
  environment: Record<string, string> = {},
  engine: string = newEngineAddress(),
): Promise<ProviderProcess> {
  return startProcess(providerText(lifecycle), configuration, environment, { engine });
}

/** The address of an engine that does not listen, another one for each run. */
export function newEngineAddress(): string {
  const [a, b, c] = randomBytes(3);
  return `127.${a ?? 0}.${b ?? 0}.${c ?? 0}:1`;
}

const root = join(__dirname, "..", "..");

/** Starts a process for the provider that a text serialises, as the state of a resource holds it. */
export async function startProcess(
  text: string,
  configuration: Record<string, string>,
  environment: Record<string, string> = {},
  {
    folder = join(root, "examples", "quickstart"),
    engine = newEngineAddress(),
  }: { readonly folder?: string; readonly engine?: string } = {},
): Promise<ProviderProcess> {
  const { withoutSettings } = await import("../../tools/environment.mjs");
  const child = spawn(
    process.execPath,
    [join(root, "node_modules/@pulumi/pulumi/cmd/dynamic-provider"), engine],
    {
      cwd: folder,
      env: { ...withoutSettings(process.env), ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const lines = createInterface(child.stdout).on("line", (line) => (output += `${line}\n`));
  const port = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    child.once("error", reject);
    child.once("close", () => {
      reject(new Error(`the provider process ended before it listened:\n${output}`));
    });
  });
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const struct = (properties: Properties) =>
    Struct.fromJavaScript({ ...properties, __provider: text });

  const configure = new messages.ConfigureRequest();
  configure.setArgs(Struct.fromJavaScript(configuration));
  await call(client, "configure", configure);

  return {
    async check(news, olds = {}) {
      const request = new messages.CheckRequest();
      request.setOlds(struct(olds));
      request.setNews(struct(news));
      const response = await call<messages.CheckResponse>(client, "check", request);
      const failures = response.getFailuresList();
      for (const failure of failures) assertPrintable(failure.getReason());
      return {
        inputs: plain(response.getInputs()),
        failures: failures.map((f) => ({ property: f.getProperty(), reason: f.getReason() })),
      };
    },
    async diff(id, olds, news) {
      const request = new messages.DiffRequest();
      request.setId(id);
      request.setOlds(struct(olds));
      request.setNews(struct(news));
      const response = await call<messages.DiffResponse>(client, "diff", request);
      const changes = response.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME;
      return { changes, replaces: response.getReplacesList() };
    },
    async create(inputs) {
      const request = new messages.CreateRequest();
      request.setProperties(struct(inputs));
      const response = await call<messages.CreateResponse>(client, "create", request);
      return { id: response.getId(), outs: plain(response.getProperties()) };
    },
    async read(id, props) {
      const request = new messages.ReadRequest();
      request.setId(id);
      request.setProperties(struct(props));
      const response = await call<messages.ReadResponse>(client, "read", request);
      return {
        id: response.getId(),
        props: plain(response.getProperties()),
        inputs: plain(response.getInputs()),
      };
    },
    async update(id, olds, news) {
      const request = new messages.UpdateRequest();
      request.setId(id);
      request.setOlds(struct(olds));
      request.setNews(struct(news));
      const response = await call<messages.UpdateResponse>(client, "update", request);
      return plain(response.getProperties());
    },
    async delete(id, props) {
      const request = new messages.DeleteRequest();
      request.setId(id);
      request.setProperties(struct(props));
      await call(client, "delete", request);
    },
    output: () => output,
    pid: child.pid,
    async stop() {
      client.close();
      await ended(child);
      assertPrintable(output);
    },
  };
}

type Method = "configure" | "check" | "diff" | "create" | "read" | "update" | "delete";

/** The generated client's methods share one shape, which its types spell out for each. */
function call<Response>(
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

/** No message of a provider may steer a terminal or reorder what is read. */
function assertPrintable(message: string): void {
  assert.doesNotMatch(message, /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u);
}

function printable(error: Error): Error {
  assertPrintable(error.message);
  return error;
}

function plain(struct: Struct | undefined): Properties {
  const { __provider, ...properties } = struct?.toJavaScript() ?? {};
  return properties;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "exit");
}
