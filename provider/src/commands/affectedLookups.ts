/**
 * `pulumi-clouddb readiness --stack-export`: what in a stack uses strings that can break applications in peered
 * networks when private IP mode is disabled. Prints names, not values.
 */
import { escapeText } from "../messages/text";
import { ProviderError } from "../messages/errors";
import type { ReadinessDetails } from "../privateIpMode/readiness";
import { readFile, readStream } from "../report/files";
import {
  type ResourceName,
  label,
  nameOf,
  readInput,
  secret,
  stackType,
  typeOf,
} from "../report/input";
import type { Receivers } from "../report/model";
import { createReceivers } from "../report/receivers";
import { hostsIn, textOf } from "../report/values";

/** A lookup of a cluster in the report that returns neither a peering-private nor a private endpoint string. */
interface AffectedLookup extends ResourceName, Omit<Receivers, "lookups"> {
  readonly clusterName: string;
  readonly recommendedKind: string;
}

/** What `--json` prints about a stack. */
interface AffectedStack {
  /** Such as `infra/production`; undefined if the export has no resources. */
  readonly stack: string | undefined;
  readonly lookups: readonly AffectedLookup[];
  /** The resources and stack outputs with a legacy string, from a lookup or from elsewhere. */
  readonly resourcesWithLegacyStrings: readonly ResourceName[];
  readonly outputsWithLegacyStrings: readonly string[];
  /** The stack outputs that are encrypted, so that their strings cannot be read. */
  readonly secretOutputs: readonly string[];
}

/** How many dependents are listed, counted for each lookup. A damaged export could have billions. */
const maxDependents = 200_000;

/** Reads the export of a stack, and finds what uses strings of the clusters in a report of their readiness. */
export async function findAffected(
  file: string,
  { readiness, ...details }: ReadinessDetails,
): Promise<AffectedStack> {
  const name = file === "-" ? "Standard input" : escapeText(file);
  const content = file === "-" ? await readStream(process.stdin, name) : readFile(file);
  const { kind, stack, steps } = readInput(content, name);
  if (kind !== "stack export")
    throw new ProviderError(`${name} is not the output of pulumi stack export, but a ${kind}.`);
  const legacy = details.clustersWithLegacyStrings;
  const legacyHosts = new Set(legacy.flatMap(({ strings }) => hostsIn(strings)));
  const isLegacy = (value: unknown) => hostsIn(value).some((host) => legacyHosts.has(host));
  const listed = [...legacy, ...details.clustersWithoutPeeringStrings].map((each) => each.name);
  // An encrypted ID or name can be any.
  const clusters = [...listed, ...readiness.clustersWithPeeringStrings, secret];
  const projects = [readiness.projectId, secret];
  const receivers = createReceivers([{ steps }]);
  const toName = ({ urn }: ResourceName) => nameOf(urn);
  const stacks = steps.filter(({ type }) => type === stackType);
  const others = steps.filter((step) => !stacks.includes(step) && !typeOf(step.type));
  const outputs = (isWanted: (value: unknown) => boolean) => {
    const all = stacks.flatMap((step) => Object.entries(step.new ?? {}));
    return all.filter(([, value]) => isWanted(value)).map(([name]) => name);
  };
  let dependents = 0;
  const lookups = steps.flatMap((step): AffectedLookup[] => {
    if (typeOf(step.type) !== "ClusterConnectionStrings") return [];
    const text = (property: string) => textOf(step.new?.[property]);
    const [clusterName, recommendedKind] = [text("clusterName"), text("recommendedKind")];
    const isListed = projects.includes(text("projectId")) && clusters.includes(clusterName);
    if (!isListed || recommendedKind.startsWith("private")) return [];
    const { lookups: _none, ...found } = receivers.ofLookup(step);
    dependents += found.direct.length + found.further.length;
    if (dependents > maxDependents)
      throw new ProviderError(
        `the lookups in ${name} have more than ${maxDependents} dependents. Leave this export out.`,
      );
    return [{ ...toName(step), clusterName, recommendedKind, ...found }];
  });
  return {
    stack,
    lookups,
    resourcesWithLegacyStrings: others.filter((each) => isLegacy(each.new)).map(toName),
    outputsWithLegacyStrings: outputs(isLegacy),
    secretOutputs: outputs((value) => textOf(value) === secret),
  };
}

export function affectedReport(found: AffectedStack): string[] {
  const resources = (all: readonly ResourceName[]) => all.map((each) => escapeText(label(each)));
  const outputs = (all: readonly string[]) => all.map((each) => escapeText(`output ${each}`));
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`  ${title}:`, ...lines.map((line) => `    ${line}`)];
  const known = [found.lookups, found.resourcesWithLegacyStrings, found.outputsWithLegacyStrings];
  return [
    `Stack ${escapeText(found.stack ?? "without resources")}:`,
    ...(known.flat().length === 0 ? ["  No such string was found."] : []),
    ...section(
      "Lookups that return neither peering-private nor private endpoint strings, and what depends on them",
      found.lookups.flatMap(({ direct, further, ...lookup }) => [
        escapeText(`${lookup.name}: ${lookup.recommendedKind} of cluster ${lookup.clusterName}`),
        ...resources([...direct, ...further]).map((each) => `  ${each}`),
        ...outputs(lookup.outputs).map((each) => `  ${each}`),
      ]),
    ),
    ...section("Resources and outputs with a legacy string", [
      ...resources(found.resourcesWithLegacyStrings),
      ...outputs(found.outputsWithLegacyStrings),
    ]),
    ...section(
      "Secret outputs, which are encrypted in the export and cannot be read",
      outputs(found.secretOutputs),
    ),
  ];
}
