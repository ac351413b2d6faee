/**
 * PrivateIpMode as the engine runs it: observe the setting, then decide, then act.
 * The engine sees the inputs that `check` returns as the outputs of a preview.
 */
import * as z from "../zod";
import { ResponseError, errorCodes, saysNotFound } from "../api/errors";
import { ProviderError } from "../engine/errors";
import { readInputs, withoutProvider } from "../engine/inputs";
import { type Lifecycle, type PropertyBag, defined } from "../engine/lifecycle";
import { containsUnknown } from "../engine/unknown";
import type { Session } from "../session";
import { offenders, refusal } from "./guard";
import type { PeeringWarning } from "./peeringWarning";

const args = z.strictObject({
  projectId: z
    .string("must be a project ID")
    .check(z.minLength(1, "must be a project ID, not empty")),
  enabled: z.boolean("must be true or false"),
  onDelete: z._default(z.enum(["retain", "restore"], 'must be "retain" or "restore"'), "retain"),
});

type Args = z.output<typeof args>;

/** The inputs as `check` completes them. */
const checked = z.object({ ...args.shape, enabledAtAdoption: z.optional(z.boolean()) });

/** What the state holds, by any released version. Empty where there is no state yet. */
const recorded = z.object({
  projectId: z.optional(z.string()),
  enabled: z.optional(z.boolean()),
  enabledAtAdoption: z.optional(z.boolean()),
  onDelete: z._default(z.enum(["retain", "restore"]), "retain"),
});

type Recorded = z.output<typeof recorded>;

/** @param warning tells what lookups of the same process have to know of a disable */
export function privateIpModeLifecycle(
  open: () => Session,
  warning: Pick<PeeringWarning, "disabling">,
): Lifecycle {
  /** Projects whose setting a resource adopted in this process. */
  const adopting = new Set<string>();
  /** What the state says of projects: a replacement is checked a second time, then without it. */
  const states = new Map<string, Recorded>();

  return {
    // `alsoHeldBy` comes from the program (holders.ts) and is never recorded.
    async check(olds, { alsoHeldBy, ...news }) {
      const inputs = readInputs(args, news);
      if (inputs.kind === "wrong") return { inputs: news, failures: inputs.failures };
      if (inputs.kind === "unknown") return { inputs: news };
      const { projectId, enabled } = inputs.args;
      if (typeof alsoHeldBy === "string") {
        const reason = `"${alsoHeldBy}" holds private IP mode of this project already. Keep one of the two resources: each would undo what the other does.`;
        return { inputs: news, failures: [{ property: "projectId", reason }] };
      }
      const session = open();
      const state = recordedOf(projectId, olds) ?? states.get(projectId);
      if (state !== undefined) states.set(projectId, state);
      const mode = await observe(session, projectId, state?.enabled);
      if (!enabled && mode !== false) {
        const clusters = await session.listing.clusters(projectId);
        const found = offenders(clusters);
        if (found.length > 0) {
          const reason = refusal(projectId, found, clusters.length);
          return { inputs: news, failures: [{ property: "enabled", reason }] };
        }
        await warning.disabling(projectId, clusters);
      }
      // What was found at adoption is kept from the first check on; a change of project adopts anew.
      const enabledAtAdoption = state === undefined ? mode : state.enabledAtAdoption;
      return { inputs: defined({ ...news, enabledAtAdoption }) };
    },

    diff(_id, olds, news) {
      const [before, after] = [recorded.parse(olds), knownInputs(news)];
      const moved = before.projectId !== after.projectId;
      const changes =
        moved || before.enabled !== after.enabled || before.onDelete !== after.onDelete;
      return Promise.resolve({ changes, replaces: moved ? ["projectId"] : [] });
    },

    async create(inputs) {
      const { enabledAtAdoption, ...wanted } = checked.parse(inputs);
      adopting.add(wanted.projectId);
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
        if (!saysNotFound(error)) throw error;
        await session.log(
          "warning",
          `project ${id} does not exist: its private IP mode leaves the state`,
        );
        return {};
      }
    },

    async update(_id, olds, news) {
      const state = recorded.parse(olds);
      await apply(open(), checked.parse(news), state.enabled);
      const { enabledAtAdoption } = state;
      return { outs: defined({ ...withoutProvider(news), enabledAtAdoption }) };
    },

    async delete(id, props) {
      const { onDelete, enabled, enabledAtAdoption } = recorded.parse(props);
      if (onDelete === "retain") return;
      const leave = async (why: string) => {
        await open().log("warning", `private IP mode of project ${id} is left as it is: ${why}`);
      };
      // A resource that was renamed without an alias, or replaced, is created before it is deleted.
      if (adopting.has(id)) {
        await leave("another resource of this stack holds it now");
        return;
      }
      if (enabledAtAdoption === undefined) {
        await leave("what it was before this stack is not known");
        return;
      }
      try {
        const restored = { projectId: id, enabled: enabledAtAdoption };
        await apply(
          open(),
          restored,
          enabled,
          'keep the mode: set onDelete to "retain" and update',
        );
      } catch (error) {
        if (!saysNotFound(error)) throw error;
        await leave("the project does not exist");
      }
    },
  };
}

/**
 * Sets the mode where it is not as wanted, and gives what it was before; undefined where the service
 * does not show it. A disable is guarded on clusters read just before each time it is sent, whatever
 * `check` saw earlier.
 */
async function apply(
  session: Session,
  { projectId, enabled }: Pick<Args, "projectId" | "enabled">,
  known: boolean | undefined,
  otherwise?: string,
): Promise<boolean | undefined> {
  const before = await observe(session, projectId, known);
  if (before === enabled) return before;
  const guard = async () => {
    if (enabled) return;
    const clusters = await session.listing.freshClusters(projectId);
    const found = offenders(clusters);
    if (found.length > 0) {
      throw new ProviderError(refusal(projectId, found, clusters.length, otherwise));
    }
  };
  const confirmed = await change(session, projectId, enabled, guard);
  session.listing.forget(projectId);
  if (confirmed !== enabled) {
    throw new ProviderError(
      `the service answered the change of private IP mode of project ${projectId} with enabled: ${String(confirmed)}, not ${String(enabled)}. Look at the setting in the service, then run the update again.`,
    );
  }
  return before;
}

async function change(
  session: Session,
  projectId: string,
  enabled: boolean,
  guard: () => Promise<void>,
): Promise<boolean> {
  try {
    return await session.client.setPrivateIpMode(projectId, enabled, guard);
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

/** What was recorded for this very project. */
function recordedOf(projectId: string, olds: PropertyBag): Recorded | undefined {
  const state = recorded.parse(olds);
  return state.projectId === projectId ? state : undefined;
}

/** The inputs of a diff; one that a preview does not know yet is undefined, and so counts as changed. */
function knownInputs(news: PropertyBag): Partial<Recorded> {
  const given = Object.entries(news);
  const known = given.filter(([, value]) => !containsUnknown(value));
  const unknown = given.flatMap(([key, value]) =>
    containsUnknown(value) ? [[key, undefined] as const] : [],
  );
  return { ...recorded.parse(Object.fromEntries(known)), ...Object.fromEntries(unknown) };
}
