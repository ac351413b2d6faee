/** Sends requests to /control. */

/**
 * Sends a request to /control.
 *
 * @param method the HTTP method
 * @param path the path below /control
 * @param body sent as JSON; undefined for no body
 * @throws an error with the reason if the request fails
 */
export async function sendControl(method, path, body) {
  const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(`/control${path}`, { method, ...(body === undefined ? {} : json) });
  } catch {
    throw new Error("The simulator cannot be reached. Check that it is running.");
  }
  if (response.ok) return;
  const { detail } = await response.json().catch(() => ({}));
  throw new Error(detail ?? `The simulator responded with status ${response.status}.`);
}

/** Returns the path of a cluster, or of all clusters of a project. */
export function clusterPath(projectId, name) {
  const clusters = `/projects/${encodeURIComponent(projectId)}/clusters`;
  return name === undefined ? clusters : `${clusters}/${encodeURIComponent(name)}`;
}
