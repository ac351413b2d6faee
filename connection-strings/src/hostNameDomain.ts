/** Finds the cluster domain at the end of a host name (service document 2.6). */
import type { Parts } from "./classification";
import { currentPatterns } from "./hostNamePatterns";

/** A host name that is being classified. */
export interface HostName {
  /** All labels, in lower case. */
  readonly labels: readonly string[];
  /** The first of the labels. */
  readonly firstLabel: string;
  /** The port of the host; undefined if the string omits it. */
  readonly port: number | undefined;
  /** The form of the connection string that the host belongs to. */
  readonly form: "hosts" | "srv";
  /** The service's cluster domain, in lower case; undefined if it is not known. */
  readonly knownDomain: string | undefined;
}

/** The cluster domain, and the provider label before it. */
export type Domain = Pick<Parts, "domain" | "providerLabel">;

/** The number of labels to assume if the cluster domain is not known. */
export const assumedLabelCount = 2;

/**
 * Returns the domain at the end of a host name.
 *
 * @param host the host name
 * @param start the index of the label that the domain starts with, or the provider label before it
 * @returns the domain; undefined if it is not the known domain, or if too few labels are left
 */
export function domainFrom(host: HostName, start: number): Domain | undefined {
  const { labels, firstLabel, form, knownDomain } = host;
  const ending = labels.slice(start).join(".");
  if (knownDomain !== undefined && ending === knownDomain) {
    return { domain: ending, providerLabel: undefined };
  }
  const label = labels[start];
  if ((label === "gcp" || label === "azure") && labels.length > start + 1) {
    const domain = ending.slice(label.length + 1);
    const isKnown = knownDomain === undefined || domain === knownDomain;
    return isKnown ? { domain, providerLabel: label } : undefined;
  }
  // If the name identifies itself as current, the domain may be a single label.
  const { node, optimized, privateEndpoint } = currentPatterns;
  const patterns = form === "hosts" ? [node, optimized, privateEndpoint] : [optimized];
  const allowsSingleLabel = patterns.some((pattern) => pattern.test(firstLabel));
  const minLabelCount = allowsSingleLabel ? 1 : assumedLabelCount;
  return knownDomain === undefined && labels.length - start >= minLabelCount
    ? { domain: ending, providerLabel: undefined }
    : undefined;
}
