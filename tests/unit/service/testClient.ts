/** Services, and clients that send requests to them, for the tests of the client. */
import assert from "node:assert/strict";
import type { Seed, Simulator } from "clouddb-simulator";
import {
  Client,
  type ClientSettings,
  type ClusterList,
} from "../../../provider/src/service/client";
import { ApiError } from "../../../provider/src/service/errors";
import { type RetryPolicy, defaultRetryPolicy } from "../../../provider/src/service/retry";
import { clusterReader } from "../../../provider/src/service/schemas";
import { defaultSettings } from "../../../provider/src/settings/settings";
import { type ForeignService, type Handler, foreignService } from "../../support/foreignService";
import { key, startService } from "../../support/service";

/** The address of a running service, and the certificate to trust. */
export interface TestedService {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
}

/** Settings that override the defaults of the tests. */
export interface TestSettings extends Partial<Omit<ClientSettings, "retryPolicy">> {
  readonly retryPolicy?: Partial<RetryPolicy>;
}

/** Creates a client with the quickstart's API key that retries after a millisecond. */
export function testClient({ url, ca }: TestedService, settings: TestSettings = {}): Client {
  return new Client({
    ...defaultSettings,
    contentType: "application/json",
    baseUrl: new URL(url),
    extraCertificates: ca,
    clusterPaths: [{ name: "clusters", isOptional: false }],
    // Generous, because tests share the processor.
    requestTimeoutSeconds: 25,
    userAgent: "pulumi-clouddb/test",
    credentials: { kind: "apiKey", ...key },
    ...settings,
    retryPolicy: { ...defaultRetryPolicy, firstDelaySeconds: 0.001, ...settings.retryPolicy },
  });
}

/** Returns a complete list of records as the client reads them. */
export function listOf(...records: object[]): ClusterList {
  const read = records.map(clusterReader("db"));
  return {
    records: read,
    clusters: read.flatMap((each) =>
      each.name === undefined ? [] : [{ ...each, name: each.name }],
    ),
    incomplete: undefined,
    paths: ["clusters"],
  };
}

/** Returns the error of a failed call. Fails if the call succeeds. */
export async function errorOf(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error;
  }
  assert.fail("the call succeeded");
}

/** Starts services for the tests of a `describe`, and stops them. */
export class TestServices {
  private started: ForeignService[] = [];
  private running: Simulator | undefined;

  /** Starts a service whose responses the handler writes. Returns a client that does not retry. */
  async clientOf(handler: Handler, settings: TestSettings = {}): Promise<Client> {
    const service = await foreignService(handler);
    this.started.push(service);
    const retryPolicy = { retries: 0, ...settings.retryPolicy };
    return testClient(service, { ...settings, retryPolicy });
  }

  /** Lists the clusters of such a service, and returns the error. */
  async listError(handler: Handler, settings: TestSettings = {}): Promise<ApiError> {
    return await errorOf((await this.clientOf(handler, settings)).listClusters("p"));
  }

  /** The requests that the most recently started service has received. */
  get requests(): ForeignService["requests"] {
    return this.started.at(-1)?.requests ?? [];
  }

  /** The simulator, which is reset before every test. */
  get simulator(): Simulator {
    assert.ok(this.running !== undefined, "setUpServices was called without a seed");
    return this.running;
  }

  async startSimulator(seed: Seed): Promise<void> {
    this.running = await startService(seed);
  }

  stopStarted(): void {
    for (const service of this.started) service.stop();
    this.started = [];
  }
}

/**
 * Registers the hooks that start and stop services. Call it in a `describe`.
 *
 * @param seed starts a simulator for all tests of the `describe`. Default: none
 */
export function setUpServices(seed?: Seed): TestServices {
  const services = new TestServices();
  if (seed !== undefined) {
    before(() => services.startSimulator(seed));
    beforeEach(() => {
      services.simulator.reset();
    });
    after(() => services.simulator.stop());
  }
  afterEach(() => {
    services.stopStarted();
  });
  return services;
}
