/** `pulumi-clouddb token`: requests an access token that many processes can share, and revokes it. */
import { withResponseSecrets, fetchToken, revokeToken } from "../service/authentication";
import { retry, withDeadline } from "../service/retry";
import { loggedRetries } from "../service/session";
import { httpsTransport } from "../service/transport";
import { ProviderError } from "../messages/errors";
import { readSettings } from "../settings/readSettings";
import { comparableNames, environmentOnly } from "../settings/settings";
import { version } from "../version";
import { UsageError, defineCommand, errorLog, success } from "./command";

export const token = defineCommand({
  name: "token",
  summary: "print an access token of a service account, for CLOUDDB_ACCESS_TOKEN",
  usage: "[--json | --revoke]",
  help: `Usage: pulumi-clouddb token [--json | --revoke]

Requests an access token of the service account and prints it, so that many Pulumi commands can share it:

  CLOUDDB_ACCESS_TOKEN=$(npx --no pulumi-clouddb token)

Then unset the client ID and secret for these commands, but not for --revoke, which needs both. The token is a secret.

  --json     print an object with accessToken and expiresAt (ISO 8601)
  --revoke   revoke the token in CLOUDDB_ACCESS_TOKEN instead, and print nothing
  --help     print this help

Settings are read from the provider's environment variables: CLOUDDB_BASE_URL, CLOUDDB_CLIENT_ID,
CLOUDDB_CLIENT_SECRET, CLOUDDB_TOKEN_PATH, CLOUDDB_CA_FILE, ...

Exit code: 0 success, 1 failure, 2 wrong usage.`,
  failure: "Could not request or revoke a token",
  options: {
    json: { type: "boolean", default: false },
    revoke: { type: "boolean", default: false },
  },
  async run({ json, revoke }) {
    if (json && revoke) throw new UsageError("--json cannot be combined with --revoke");
    const { CLOUDDB_ACCESS_TOKEN: given, ...environment } = comparableNames(process.env);
    const { client, misspelled, doubts } = readSettings(environmentOnly, environment);
    const log = errorLog(false);
    for (const warning of [...misspelled, ...doubts]) await log("warning", warning);
    const { credentials } = client;
    if (credentials.kind !== "serviceAccount") {
      throw new ProviderError(
        "only service accounts have tokens. Set CLOUDDB_CLIENT_ID and CLOUDDB_CLIENT_SECRET instead of an API key",
      );
    }
    if (revoke && !given) throw new ProviderError("CLOUDDB_ACCESS_TOKEN is not set");
    const transport = httpsTransport({ ...client, userAgent: `pulumi-clouddb/${version}` });
    const secrets = [credentials.clientSecret, ...(given ? [given] : [])];
    const exchange = withResponseSecrets(secrets, transport);
    const policy = loggedRetries(log);
    const path = revoke ? credentials.revokePath : credentials.tokenPath;
    const withRetries = <T>(send: () => Promise<T>) =>
      withDeadline(policy.callTimeoutSeconds, { method: "POST", path }, (deadline) =>
        retry(policy, deadline, send),
      );
    if (revoke && given) {
      await withRetries(() => revokeToken(credentials, given, exchange));
      return success("");
    }
    const { text, expiresAt } = await withRetries(() => fetchToken(credentials, exchange));
    const result = { accessToken: text, expiresAt: new Date(expiresAt).toISOString() };
    return success(json ? JSON.stringify(result) : text);
  },
});
