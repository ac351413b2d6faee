/** The client under test, with the settings that most tests share. */
import assert from "node:assert/strict";
import { type Client, type ClientSettings, createClient } from "../../../provider/src/api/client";
import { ApiError } from "../../../provider/src/api/errors";

/** A service that a test has started, and the certificate to trust it by. */
export interface TestedService {
  readonly url: string;
  readonly ca: string;
}

export function testClient(
  { url, ca }: TestedService,
  settings: Pick<ClientSettings, "credentials"> & Partial<ClientSettings>,
): Client {
  return createClient({
    baseUrl: new URL(url),
    extraCertificates: ca,
    apiPath: "/api/service/v1.0",
    fieldPrefix: "db",
    mediaType: "application/json",
    requestTimeoutSeconds: 5,
    requestsPerMinute: 100,
    userAgent: "pulumi-clouddb/test",
    ...settings,
    // Tests need not wait between tries.
    retries: { firstDelaySeconds: 0.001, ...settings.retries },
  });
}

/** Where a server on loopback listens. */
export function urlOf(server: { address(): unknown }): string {
  const address = server.address();
  if (typeof address === "object" && address !== null && "port" in address) {
    return `https://127.0.0.1:${String(address.port)}`;
  }
  throw new Error("the server does not listen");
}

/** The error with which a call of the client fails. */
export async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error;
  }
  assert.fail("the call succeeds");
}
