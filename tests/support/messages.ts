/**
 * The messages of each code, with `…` for the parts that vary. The tests of the lifecycles check that a reported message
 * has the code that it is listed for.
 */
import type { Code } from "../../provider/src/messages/errors";

export const messagesByCode: Readonly<Record<Code, readonly string[]>> = {
  settings: [
    "a setting is missing or invalid: …",
    "the settings have … problems:",
    "… is not set. …",
    "must be at most …",
    "the environment variable … is not a proxy URL, such as http://<host>:<port>",
    "is not a valid PEM certificate file: …",
    "cannot be read (…)",
    "The project has no list of clusters at the path …",
    "API keys need …, which this Node.js does not offer.",
    "the setting … must be …, not …",
  ],
  "plain-text-secret": ["… is stored in plain text in Pulumi.….yaml or Pulumi.yaml"],
  argument: [
    "must be …",
    'there is no argument "…"',
    "must be a whole number of seconds",
    "contains an output of Pulumi that the program converted to text",
    "cannot add the credentials, because …",
    'optimized: true requires a privateEndpoint network and form "srv"',
  ],
  "import-option": [
    'the resource "…" has the option import, which dynamic providers such as pulumi-clouddb do not support',
  ],
  "other-provider": [
    "… is not a clouddb.Provider of this copy of pulumi-clouddb, so its credentials cannot be read",
  ],
  "disabled-provider": [
    "the stack disables the default provider (pulumi:…), so its settings cannot be used for this call",
  ],
  "not-installed": [
    'Pulumi\'s provider process loads pulumi-clouddb for the resource "…" from …, where it is not installed',
  ],
  "unknown-settings": ["the settings of this call's provider are not known in this preview"],
  "managed-twice": ['"…" already manages private IP mode of this project'],
  "plugin-version": ["this version of the plugin has no … …; …"],
  refused: [
    "private IP mode of project … cannot be disabled",
    "…: its list of clusters may be incomplete. ….",
    "If no version is given, check the setting clouddb:fieldPrefix: the service's two version fields start with it.",
    "If only the major version is below …, no upgrade is missing. It changes when the pinned version is released",
    "(no version given)",
    "… (not a version)",
    "… (not a major version)",
    "… (major version; full version …)",
    "cluster … of the list",
  ],
  disabling: ["disabling private IP mode of project …:"],
  enabling: [
    "enabling private IP mode of project … changes the addresses that the host names of its clusters resolve to",
  ],
  drift: ["private IP mode of project … is …, which differs from what is recorded"],
  "service-refused": [
    "the service refused to … private IP mode of project …",
    "The service refused the request. Resolve its reason in the service, then try again.",
  ],
  "change-unknown": ["private IP mode of project … may or may not have been …"],
  "engine-gone": [
    "private IP mode of project … was not changed, because the Pulumi engine that requested this change has ended",
  ],
  "mode-unreadable": [
    "private IP mode of project … cannot be read, because the service does not expose the setting",
  ],
  "cluster-not-found": [
    "… is being deleted, so its connection strings will stop working.",
    "project … has no cluster …. …",
    "If the service lists it at another path than …, set clouddb:clusterPaths",
    "cluster … of project … was not found",
  ],
  "string-not-found": [
    "the service returned no … of …. …",
    "getClusters cannot return … of the … clusters in …",
    "no string is recommended for … of the … clusters of project …",
  ],
  "ambiguous-endpoint": ["several private endpoints match: ….…"],
  "ambiguous-cluster": ["project … has … clusters with the name … (…)"],
  "wait-ended": ["… … after … s (waitSeconds: …)."],
  timeout: [
    "timed out after … s in total, including retries and waits",
    "no response from … within … s",
  ],
  authentication: [
    "Check the credentials, their roles and their access list.",
    "The service does not offer digest authentication for API keys",
    "The service keeps reporting its own nonces as stale",
    "The service account was refused",
    "Without --run-program, a refresh uses the settings of the last update.",
    "The token in clouddb:accessToken may have expired or been revoked. Set it to a new one",
  ],
  "access-list": [
    "Add this machine's address to the API access list of the API key or service account.",
  ],
  forbidden: [
    "Check the roles of the API key or service account on this project, and that its API access list contains this machine's address.",
    "Check that the service account is active and may request tokens, and that its secret has not expired",
  ],
  "not-found": [
    "The service has no such project. Check the project ID, which is not its name.",
    "This path does not revoke tokens",
    "Check the project ID, clouddb:profile, clouddb:baseUrl and clouddb:apiPath.",
    "This path does not issue tokens",
  ],
  "method-not-allowed": ["The service does not offer this operation. Check clouddb:apiPath."],
  "media-type": [
    "The service does not support the media type or version of the request.",
    "The service no longer offers this path, or this version of it. Check clouddb:apiPath.",
  ],
  conflict: ["The request conflicts with the current state of the resource."],
  "rate-limited": [
    "Retry …, or lower clouddb:requestsPerMinute.",
    "Too many token requests in a short time",
  ],
  "invalid-field": [
    "The service rejected the request as invalid.",
    "The service rejected the parameter …",
    "Check the project ID, which is not the name of the project.",
  ],
  "server-error": ["The error is on the service's side. Try again later."],
  cancelled: ["cancelled; run the command again"],
  "malformed-response": [
    "the response does not match the service's documentation",
    "it is not JSON (…)",
    "The response is a redirect…, which is not followed. Set clouddb:baseUrl to the service's own address.",
    "[redacted: may contain credentials]",
  ],
  certificate: [
    "the certificate of … is not trusted",
    "the certificate of … has expired or is not valid yet",
    "the certificate of … is for another host name",
  ],
  connection: [
    "could not connect to …: … (…). Check … and the network",
    "no response from … (…). Check …, the network and the proxy",
    "the response was truncated after … bytes",
    "the proxy … (it responded to CONNECT with …)",
  ],
  "incomplete-list": [
    "the service reports a total of …",
    "its total count changed from … to …",
    "the service reports no …, so others may exist",
    "page 1 differs from the list without a page number",
    "page … repeats an ID or a name",
    "page … could not be read: …",
    "The state is unchanged. Check clouddb:baseUrl and clouddb:apiPath, which lead to …",
  ],
  "deletion-unproven": [
    "project … was not found at …. The state is unchanged, because a wrong clouddb:baseUrl or clouddb:apiPath looks the same",
  ],
  "project-not-found": ["project … does not exist"],
  removed: [
    "…, so refreshing removes the resource from the state.",
    "… Refreshing removes the lookup from the state.",
  ],
  "strings-kept": ["… The recorded strings are kept."],
  "damaged-state": ["the recorded state of … is damaged: …"],
  strings: ["Could not read the connection strings"],
  token: ["Could not request or revoke a token"],
  doctor: ["Could not check the settings"],
  readiness: ["Could not determine readiness"],
  report: [
    "Could not create the report",
    "line … of … is not an event, or was truncated",
    "… is not an event that pulumi 3.216 or later writes: …",
    "… is not JSON.",
    "… is invalid: …",
    "… cannot be written: …",
    "Failed before the preview began.",
    "Failed: pulumi …, but its output contains no error.",
  ],
  preview: [
    "The preview was not reported",
    "… ended pulumi preview.",
    "… answered … with ….",
    "… did not answer …",
    "branches of forks are not previewed",
    "the job of a Dependabot pull request has only the secrets of Dependabot",
  ],
  "no-comment": ["no comment was written, because … is not set"],
};
