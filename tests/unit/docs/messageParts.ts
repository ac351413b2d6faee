/**
 * Texts in the source that are no messages of their own: docs/troubleshooting.md does not list them. A new
 * text belongs here only if users cannot search for it.
 */
export const messageParts: ReadonlySet<string> = new Set([
  // Names of things, which messages insert.
  "an endpoint ID",
  "the name of a cluster",
  "this ClusterConnectionStrings resource",
  "this PrivateIpMode resource",
  "arguments for getPrivateIpModeReadiness",
  "arguments of withCredentials",
  "arguments of classifyConnectionString",
  "cluster …… of project …",
  "private IP mode of project …",
  "privateIpMode of project …",
  "standard string (host list)",
  "standard string (SRV)",
  "peering-private string (SRV)",
  "peering-private string (host list)",
  "private endpoint string…",
  "private endpoint string (SRV)",
  "private endpoint string (host list)",
  "optimized private endpoint string (SRV)",
  '… of clouddb.Provider "…" (or …)',

  // Connections between the parts of a message.
  "keep the mode with enabled: true",
  "pass it to the provider, or …, or …",
  "; select one with …",
  "did you mean ……?",
  "expected one of …",
  "pulumi config set …",
  "1 item was read",
  "its only cluster",
  "could not be read",
  "no error code",
  "no reason given",
  "inherited from the parent",
  "passed to this call",

  // Errors in the code: no user gets them.
  "a … cannot be a property",
  "the wait was aborted",
]);
