/**
 * Says whether a preview has the string that the update makes. It has none while an argument is unknown. Pulumi asks
 * policies after `check` made the string, so after a remediation it has the string of the arguments before it.
 */
import { isDeepStrictEqual } from "node:util";
import { querySchema } from "../../clusterConnectionStrings/args";
import { argsSchema } from "../../databaseUrl/args";
import type { StringChange, StringValue } from "../model";
import type { Step } from "../read/eventLog";
import type { Remediation } from "../read/events";
import { containsSecret, unknownText } from "../values";

/** Stands for a string that the preview does not know. */
export const unknownString: StringValue = { network: undefined, string: unknownText };

/** The output with the string, and the arguments of which it is made. */
const strings = {
  ClusterConnectionStrings: { output: "recommended", args: Object.keys(querySchema.shape) },
  DatabaseUrl: { output: "url", args: Object.keys(argsSchema.shape) },
} as const;

/**
 * Returns whether the preview has the string after the update, and what policies do to its arguments.
 *
 * @param step what the engine does
 * @param type of the resource of the step
 * @param remediations those of the preview
 */
export function inPreview(
  { urn, new: changed }: Step,
  type: StringChange["type"],
  remediations: readonly Remediation[],
): Pick<StringChange, "isKnown" | "policy"> {
  const { output, args } = strings[type];
  const isKnown = changed === undefined || changed[output] !== undefined;
  const own = remediations.filter(({ resourceUrn }) => resourceUrn === urn);
  const [before, after] = [own.at(0)?.before ?? {}, own.at(-1)?.after ?? {}];
  // The plugin makes the URL after the remediation, which has none.
  const isMadeBefore = type !== "DatabaseUrl" || output in after;
  if (changed === undefined || !isKnown || !isMadeBefore) return { isKnown, policy: undefined };
  const isSecret = (name: string) => containsSecret(before[name]) || containsSecret(after[name]);
  const isDifferent = (name: string) => !isDeepStrictEqual(before[name], after[name]);
  const [secret, visible] = [args.filter(isSecret), args.filter((name) => !isSecret(name))];
  const mayChange = secret.length > 0 ? "may change" : undefined;
  return { isKnown, policy: visible.some(isDifferent) ? "changes" : mayChange };
}
