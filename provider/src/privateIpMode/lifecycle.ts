/**
 * PrivateIpMode as the engine runs it: observe the setting, then decide, then act.
 * The engine sees the inputs that `check` returns as the outputs of a preview.
 */
import { z } from "zod";
import { ResponseError, errorCodes } from "../api/errors";
import { ProviderError } from "../engine/errors";
import { readInputs, withoutProvider } from "../engine/inputs";
import { type Lifecycle, type PropertyBag, defined } from "../engine/lifecycle";
import type { Session } from "../session";
import { offenders, refusal } from "./guard";

const args = z.strictObject({
  projectId: z.string("must be a project ID").min(1, "must be a project ID, not empty"),
  enabled: z.boolean("must be true or false"),
  onDelete: z.enum(["retain", "restore"], 'must be "retain" or "restore"').default("retain"),
});

type Args = z.output<typeof args>;

/** The inputs as `check` completes them. */
const checked = z.object({ ...args.shape, enabledAtAdoption: z.boolean().optional() });

/** What the state holds, by any released version. Empty where there is no state yet. */
const recorded = z.object({
  projectId: z.string().optional(),
  enabled: z.boolean().optional(),
  enabledAtAdoption: z.boolean().optional(),
  onDelete: z.enum(["retain", "restore"]).default("retain"),
});

type Recorded = z.output<typeof recorded>;

export function privateIpModeLifecycle(open: () => Session): Lifecycle {
  return {
    async check(olds, news) {
      const inputs = readInputs(args, news);
      if (inputs.kind === "wrong") return { inputs: news, failures: inputs.failures };
      if (inputs.kind === "unknown") return { inputs: news };
      const session = open();
      const { projectId, enabled } = inputs.args;
      const known = recordedOf(projectId, olds);
      const mode = await observe(session, projectId, known.enabled);
      if (!enabled && mode !== false) {
        const clusters = await session.listing.clusters(projectId);
        const found = offenders(clusters);
        if (found.length > 0) {
          const reason = refusal(projectId, found, clusters.length);
          return { inputs: news, failures: [{ property: "enabled", reason }] };
        }
        await warnOfPeeredClusters(session, projectId);
      }
      // What was found at adoption is kept from the first check on; a change of project adopts anew.
      const enabledAtAdoption = known.enabledAtAdoption ?? mode;
      return { inputs: defined({ ...news, enabledAtAdoption }) };
    },

    diff(_id, olds, news) {
      const [before, after] = [recorded.parse(olds), recordedInputs(news)];
      const moved = before.projectId !== after.projectId;
      const changes =
        moved || before.enabled !== after.enabled || before.onDelete !== after.onDelete;
      return Promise.resolve({ changes, replaces: moved ? ["projectId"] : [] });
    },

    async create(inputs) {
      const { enabledAtAdoption, ...wanted } = checked.parse(inputs);
      const found = await apply(open(), wanted, undefined);
      const adopted = enabledAtAdoption ?? found;
      const outs = defined({ ...withoutProvider(inputs), enabledAtAdoption: adopted });
      return { id: wanted.projectId, outs };
    },

    async read(id, props) {
      const session = open();
      const state = recorded.parse(props);
      try {
        const enabled = await observe(session, id, state.enabled);
        // A service that does not show the setting leaves nothing to compare: the state stands.
        const seen = defined({ ...withoutProvider(props), projectId: id, enabled });
        return { id, props: seen, inputs: { ...seen } };
      } catch (error) {
        if (saysProjectIsGone(error)) return {};
        throw error;
      }
    },

    async update(_id, olds, news) {
      const { enabledAtAdoption, ...wanted } = checked.parse(news);
      const state = recorded.parse(olds);
      await apply(open(), wanted, state.enabled);
      const adopted = state.enabledAtAdoption ?? enabledAtAdoption;
      return { outs: defined({ ...withoutProvider(news), enabledAtAdoption: adopted }) };
    },

    async delete(id, props) {
      const { onDelete, enabled, enabledAtAdoption } = recorded.parse(props);
      if (onDelete === "retain") return;
      if (enabledAtAdoption === undefined) {
        const kept = `private IP mode of project ${id} is left as it is: what it was before this stack is not known`;
        await open().log("warning", kept);
        return;
      }
      try {
        await apply(open(), { projectId: id, enabled: enabledAtAdoption }, enabled);
      } catch (error) {
        if (!saysProjectIsGone(error)) throw error;
      }
    },
  };
}

/**
 * Sets the mode where it is not as wanted, and gives what it was before; undefined where the service
 * does not show it. A disable is guarded on clusters read now, whatever `check` saw earlier.
 */
async function apply(
  session: Session,
  { projectId, enabled }: Pick<Args, "projectId" | "enabled">,
  known: boolean | undefined,
): Promise<boolean | undefined> {
  const before = await observe(session, projectId, known);
  if (before === enabled) return before;
  if (!enabled) {
    const clusters = await session.listing.freshClusters(projectId);
    const found = offenders(clusters);
    if (found.length > 0) throw new ProviderError(refusal(projectId, found, clusters.length));
  }
  const confirmed = await change(session, projectId, enabled);
  session.listing.forget(projectId);
  if (confirmed !== enabled) {
    throw new ProviderError(
      `the service answered the change of private IP mode of project ${projectId} with enabled: ${String(confirmed)}, not ${String(enabled)}. Look at the setting in the service, then run the update again.`,
    );
  }
  return before;
}

async function change(session: Session, projectId: string, enabled: boolean): Promise<boolean> {
  try {
    return await session.client.setPrivateIpMode(projectId, enabled);
  } catch (error) {
    if (!(error instanceof ResponseError) || error.code !== errorCodes.refused) throw error;
    throw new ProviderError(
      `the service itself refuses to ${enabled ? "enable" : "disable"} private IP mode of project ${projectId} (${String(error.errorCode)}): ${error.detail ?? "it gives no reason"}`,
      "",
      { cause: error },
    );
  }
}

/** The mode as the service shows it, else as recorded; undefined where neither tells. */
async function observe(
  { client, listing }: Session,
  projectId: string,
  known: boolean | undefined,
): Promise<boolean | undefined> {
  const mode = await client.getPrivateIpMode(projectId);
  if (mode.kind === "observed") return mode.enabled;
  // The answer of a service without GET and that of a missing project look alike; a listing tells.
  await listing.clusters(projectId);
  return known;
}

async function warnOfPeeredClusters({ listing, log }: Session, projectId: string): Promise<void> {
  const peered = (await listing.clusters(projectId))
    .filter(({ connectionStrings: s }) => s?.private !== undefined || s?.privateSrv !== undefined)
    .map(({ name }) => name)
    .sort();
  if (peered.length === 0) return;
  await log(
    "warning",
    `disabling private IP mode of project ${projectId}: applications in peered networks should already use the peering-private connection strings of ${peered.join(", ")}`,
  );
}

/** What was recorded for this very project. */
function recordedOf(projectId: string, olds: PropertyBag): Recorded {
  const state = recorded.parse(olds);
  return state.projectId === projectId ? state : recorded.parse({});
}

/** The inputs of a diff; what a preview does not know yet counts as changed. */
function recordedInputs(news: PropertyBag): Recorded {
  const parsed = recorded.safeParse(news);
  return parsed.success ? parsed.data : { onDelete: "retain" };
}

function saysProjectIsGone(error: unknown): boolean {
  return error instanceof ResponseError && error.code === errorCodes.notFound;
}
