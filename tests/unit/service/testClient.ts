/** Clients that send requests to the simulator or to a foreign service. */
import assert from "node:assert/strict";
import { Client, type ClientSettings } from "../../../provider/src/service/client";
import type { VerifiedClusters } from "../../../provider/src/service/clusterLists";
import { ApiError } from "../../../provider/src/service/requestErrors";
import { type Gap, retryAdvice } from "../../../provider/src/service/paging";
import { type RetryPolicy, defaultRetryPolicy } from "../../../provider/src/service/retry";
import { clusterReader } from "../../../provider/src/service/schemas";
import { defaultSettings } from "../../../provider/src/settings/settings";
import { type ForeignService, type Handler, useForeignService } from "../../support/foreignService";
import { key } from "../../support/service";

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
    clusterPaths: ["clusters"],
    // Generous, because tests share the processor.
    requestTimeoutSeconds: 25,
    userAgent: "pulumi-clouddb/test",
    credentials: { kind: "apiKey", ...key },
    ...settings,
    retryPolicy: { ...defaultRetryPolicy, firstDelaySeconds: 0.001, ...settings.retryPolicy },
  });
}

/** Returns a complete list of records as the client reads them. */
export function listOf(...records: object[]): VerifiedClusters {
  const read = records.map(clusterReader("db"));
  return {
    records: read,
    clusters: read.flatMap((record) =>
      record.name === undefined ? [] : [{ ...record, name: record.name }],
    ),
    readUntil: "emptyPage",
    gap: undefined,
    paths: ["clusters"],
  };
}

/** Returns why a list may be incomplete. */
export function gapOf(reason: string): Gap {
  return { reason, advice: retryAdvice };
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

/** A client of a foreign service, for the tests of one `describe`. */
interface ForeignClient {
  /** Starts a service whose responses the handler writes. Returns a client that does not retry. */
  readonly clientOf: (handler: Handler, settings?: TestSettings) => Promise<Client>;
  /** Lists the clusters of such a service, and returns the error. */
  readonly listError: (handler: Handler, settings?: TestSettings) => Promise<ApiError>;
  /** The requests that the service of the current test has received. */
  readonly requests: ForeignService["requests"];
  /** The server of the current test, for its events. */
  readonly server: ForeignService["server"];
}

/** Registers the hook that stops foreign services after each test. */
export function useForeignClient(): ForeignClient {
  const start = useForeignService();
  let requests: ForeignService["requests"] = [];
  let server: ForeignService["server"] | undefined;
  const clientOf = async (handler: Handler, settings: TestSettings = {}) => {
    const service = await start(handler);
    ({ requests, server } = service);
    const retryPolicy = { retries: 0, ...settings.retryPolicy };
    return testClient(service, { ...settings, retryPolicy });
  };
  return {
    clientOf,
    listError: async (handler, settings) =>
      await errorOf((await clientOf(handler, settings)).listClusters("p")),
    get requests() {
      return requests;
    },
    get server() {
      return server ?? assert.fail("no client was created");
    },
  };
}
