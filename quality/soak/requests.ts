/** Counts the requests of one operation in the service's request log. */
import type { ReceivedRequest } from "clouddb-simulator";

/** The requests of one operation. */
export interface RequestCounts {
  readonly requests: number;
  /** PATCH requests with accepted credentials that reached the service. */
  readonly patchesSent: number;
  /** PATCH requests that the service processed, even if their responses were lost. */
  readonly patchesApplied: number;
  /** PATCH requests that were repeated without a read of the mode in between. */
  readonly patchesRepeatedBlindly: number;
  /** Complete responses to requests that list clusters. */
  readonly listings: number;
}

/** The counts if there are no requests. */
export const noRequests: RequestCounts = {
  requests: 0,
  patchesSent: 0,
  patchesApplied: 0,
  patchesRepeatedBlindly: 0,
  listings: 0,
};

/** Counts the requests of one operation. */
export function countRequests(requests: readonly ReceivedRequest[]): RequestCounts {
  const patches = requests.filter(isSentPatch);
  return {
    requests: requests.length,
    patchesSent: patches.length,
    patchesApplied: patches.filter(isApplied).length,
    patchesRepeatedBlindly: patches.filter((patch, i) => {
      const previous = patches[i - 1];
      // A request that was rejected with a 429 had no effect.
      if (previous === undefined || previous.status === 429) return false;
      const between = requests.slice(requests.indexOf(previous), requests.indexOf(patch));
      return !between.some(({ operation, method, status }) => {
        return operation === "getPrivateIpMode" && method === "GET" && status === 200;
      });
    }).length,
    listings: requests.filter(({ operation, status }) => {
      return operation === "listClusters" && status === 200;
    }).length,
  };
}

/** Adds two counts. */
export function addCounts(a: RequestCounts, b: RequestCounts): RequestCounts {
  return {
    requests: a.requests + b.requests,
    patchesSent: a.patchesSent + b.patchesSent,
    patchesApplied: a.patchesApplied + b.patchesApplied,
    patchesRepeatedBlindly: a.patchesRepeatedBlindly + b.patchesRepeatedBlindly,
    listings: a.listings + b.listings,
  };
}

function isSentPatch({ method, status }: ReceivedRequest): boolean {
  return method === "PATCH" && status !== 401;
}

/** The service reads the body of a request only when it processes it. */
function isApplied({ status, body }: ReceivedRequest): boolean {
  return body !== undefined && (status === 200 || status === 0);
}
