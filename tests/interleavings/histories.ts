/** Generates histories of a stack with fast-check, and prints them as readable steps. */
import fc from "fast-check";
import { projectId } from "../support/service";
import { type Outcome, type Stack, type Universe, inUniverse, operate } from "./engine";
import type { Disturbance, Fault } from "./network";
import type { Declared, Operation, OtherDeclared } from "./programs";
import { type Action, type Conditions, type Edit, edits } from "./service";

type Step =
  | {
      readonly kind: "operate";
      readonly operation: Operation;
      readonly disturbances: readonly Disturbance[];
    }
  | { readonly kind: "edit"; readonly edit: Edit }
  | { readonly kind: "wait"; readonly seconds: number };

interface History {
  readonly conditions: Conditions;
  readonly steps: readonly Step[];
}

/** The result of a history. */
export interface HistoryResult extends Universe {
  readonly outcomes: readonly Outcome[];
}

/** The time after the last step in which late requests arrive, in seconds. */
const aftermath = 200;

/** Runs a history, and the checks of its result. */
export async function play<T>(
  { conditions, steps }: History,
  scheduler: fc.Scheduler,
  judge: (result: HistoryResult) => T,
): Promise<T> {
  return await inUniverse(scheduler, conditions, async (universe) => {
    const stack: Stack = { resources: [] };
    const outcomes: Outcome[] = [];
    for (const step of steps) {
      if (step.kind === "edit") universe.service.edit(step.edit);
      else if (step.kind === "wait") await universe.time.sleep(step.seconds);
      else outcomes.push(await operate(universe, stack, step.operation, step.disturbances));
    }
    await universe.time.sleep(aftermath);
    return judge({ ...universe, outcomes });
  });
}

const mode = fc.record({ enabled: fc.boolean() }).map((inputs) => {
  return { type: "PrivateIpMode" as const, inputs: { projectId, ...inputs } };
});

const lookup = fc
  .record({
    clusterName: fc.constantFrom("orders", "orders", "orders", "billing"),
    waitSeconds: fc.constantFrom(0, 0, 300),
  })
  .map((inputs) => {
    return { type: "ClusterConnectionStrings" as const, inputs: { projectId, ...inputs } };
  });

/** A resource of another provider, which mostly takes longer than a lookup. */
const other = fc
  .record({
    action: fc.constantFrom<Action>("creates", "changes", "moves", "replaces", "deletes"),
    cluster: fc.constantFrom("orders", "billing", "billing", "old"),
    secondsBefore: fc.constantFrom(0, 0.3, 1, 3),
    secondsAfter: fc.constantFrom(0, 0, 0.3, 3),
  })
  .map((inputs) => ({ type: "Other" as const, inputs }));

const names = { PrivateIpMode: "mode", ClusterConnectionStrings: "lookup", Other: "other" };

/** A mode, lookups and other resources, of which each may depend on everything before it. */
const program = fc
  .record({
    isRenamed: fc.constantFrom(false, false, true),
    resources: shrinkableArray(
      fc.record({
        isDependent: fc.constantFrom(true, true, false),
        resource: fc.oneof(mode, lookup, other),
      }),
      8,
      4,
    ),
  })
  .map(({ isRenamed, resources }) => {
    const all: (Declared | OtherDeclared)[] = [];
    for (const { isDependent, resource } of resources) {
      const { type } = resource;
      const count = all.filter((earlier) => earlier.type === type).length;
      const isMode = type === "PrivateIpMode";
      if (isMode && count > 0) continue;
      const name =
        isMode && isRenamed ? "renamed" : `${names[type]}${count === 0 ? "" : count + 1}`;
      const dependsOn = isDependent ? all.map((earlier) => earlier.name) : [];
      all.push({ ...resource, name, dependsOn });
    }
    return all;
  });

const up: fc.Arbitrary<Operation> = fc
  .record({
    program,
    isReplaced: fc.constantFrom(false, false, false, false, true),
    refresh: fc.constantFrom(false, false, false, true),
    skipPreview: fc.constantFrom(true, true, false),
  })
  .map(({ isReplaced, program: declared, ...options }) => ({
    verb: "up",
    program: declared,
    ...options,
    ...(isReplaced ? { replace: declared.find(({ type }) => type === "PrivateIpMode")?.name } : {}),
  }));

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { withCrossShrink: true },
  { weight: 6, arbitrary: up },
  { weight: 1, arbitrary: fc.constant({ verb: "refresh" }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant("destroy"), refresh: fc.boolean() }) },
);

const when = fc.constantFrom("before", "after");
const edit = fc.constantFrom(...(Object.keys(edits) as Edit[]));

/** A suspension, during which somebody mostly does what the guard must notice. */
const suspension = fc.record({
  kind: fc.constant("suspended"),
  when: fc.constantFrom("connecting", "before", "after"),
  seconds: fc.constantFrom(20, 90, 3600),
  edit: fc.constantFrom<Edit>(
    "adds a cluster below 7.0",
    "adds a cluster below 7.0",
    "turns the mode on",
    "turns the mode off",
    "moves the cluster orders to another host",
  ),
});

const fault: fc.Arbitrary<Fault> = fc.oneof(
  { withCrossShrink: true },
  fc.record({
    kind: fc.constant("answered"),
    when,
    status: fc.constantFrom(400, 401, 403, 404, 405, 409, 410, 422, 429, 500, 502, 503),
    retryAfter: fc.constantFrom(0, 0, 3, 20, 70),
  }),
  fc.record({ kind: fc.constant("late"), when, seconds: fc.constantFrom(2, 8, 20, 29, 45) }),
  fc.record({ kind: fc.constant("connected late"), seconds: fc.constantFrom(2, 8, 20, 29) }),
  fc.record({ kind: fc.constant("lost"), when }),
  fc.record({
    kind: fc.constant("deferred"),
    status: fc.constantFrom(202, 504),
    seconds: fc.constantFrom(1, 5, 40, 150),
  }),
  fc.constant({ kind: "truncated" }),
  fc.record({ kind: fc.constant("edited"), when, edit }),
  {
    // Often, because only few of these kill the engine before a change.
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("stopped"),
      when,
      stop: fc.constantFrom("cancel", "signal", "kill the engine", "kill the provider"),
      seconds: fc.constantFrom(0, 0, 0, 2, 10),
    }),
  },
  { weight: 2, arbitrary: suspension },
);

/** Like `fc.array`, but shrinks by removing any of its items. One in `freq` of `count` is missing. */
function shrinkableArray<T>(item: fc.Arbitrary<T>, count: number, freq: number): fc.Arbitrary<T[]> {
  const items = fc.array(fc.option(item, { freq }), { minLength: count, maxLength: count });
  return items.map((all) => all.filter((value) => value !== null));
}

/** Whether no service behaves like a fault: it refuses what it applied, or exposes the mode only at times. */
const isImpossible = ({ request, fault }: Disturbance) => {
  if (fault.kind === "deferred") return request !== "change";
  if (fault.kind !== "answered") return false;
  if (request === "read") return fault.status === 404 || fault.status === 405;
  return request === "change" && fault.when === "after" && fault.status < 500;
};

/** A change of a cluster between two pages of a list, of which the first request gets a challenge. */
const editBetweenPages: fc.Arbitrary<Disturbance> = fc.record({
  request: fc.constant("list"),
  nth: fc.integer({ min: 2, max: 9 }),
  fault: fc.record({
    kind: fc.constant("edited"),
    when,
    edit: fc.constantFrom<Edit>(
      "adds a cluster below 7.0",
      "removes the cluster below 7.0",
      "moves the cluster orders to another host",
      "upgrades the Flex cluster small",
    ),
  }),
});

/** A suspension while a page of a list is requested. */
const suspensionDuringList: fc.Arbitrary<Disturbance> = fc.record({
  request: fc.constant("list"),
  nth: fc.integer({ min: 2, max: 9 }),
  fault: suspension,
});

/** A suspension between the guard and a change, while its connection is opened. */
const suspensionBeforeChange: fc.Arbitrary<Disturbance> = fc.record({
  request: fc.constant("change"),
  nth: fc.constant(1),
  fault: suspension.map((fault) => ({ ...fault, when: "connecting" as const })),
});

const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  { withCrossShrink: true },
  {
    weight: 4,
    arbitrary: fc
      .record({
        request: fc.constantFrom(
          "change",
          "change",
          "change",
          "list",
          "read",
          "token",
          "revocation",
        ),
        nth: fc.constantFrom(1, 1, 1, 1, 2, 3),
        fault,
      })
      .filter((generated) => !isImpossible(generated)),
  },
  { weight: 1, arbitrary: editBetweenPages },
  { weight: 1, arbitrary: suspensionDuringList },
  { weight: 1, arbitrary: suspensionBeforeChange },
);

const disturbances = shrinkableArray(disturbance, 4, 2);

const step: fc.Arbitrary<Step> = fc.oneof(
  { withCrossShrink: true },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("wait"), seconds: fc.constantFrom(1, 50, 4000) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("edit"), edit }) },
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant("operate"), operation, disturbances }),
  },
);

const twoPaths = "clusters,flexClusters";

/** Returns whether a history has two paths, whose lists have two pages or more. */
export function hasPagesAndPaths({ conditions }: History): boolean {
  return conditions.maxPageSize === 1 && conditions.clusterPaths === twoPaths;
}

/** All histories. */
export const history: fc.Arbitrary<History> = fc.record({
  conditions: fc.record({
    kind: fc.constantFrom("program", "program", "plugin"),
    credentials: fc.constantFrom("API key", "service account"),
    tokenSeconds: fc.constantFrom(3600, 20),
    // A change of the mode needs eleven in one minute: four pages and a proof for a path, three and a proof for the other one,
    // the setting and the PATCH.
    requestsPerMinute: fc.constantFrom(100, 11),
    retryAfter: fc.boolean(),
    clusterPaths: fc.constantFrom("clusters", twoPaths, twoPaths),
    maxPageSize: fc.constantFrom(500, 1, 1),
    isReadable: fc.constantFrom(true, true, false),
  }),
  steps: shrinkableArray(step, 6, 3),
});

/** Orders of events, as numbers, because fast-check 4.10 does not repeat that of a cloned scheduler. */
export const order = fc.noShrink(fc.nat());

/** Returns the scheduler of an order. */
export function schedulerOf(seed: number): fc.Scheduler {
  const [scheduler] = fc.sample(fc.scheduler(), { seed, numRuns: 1 });
  if (scheduler === undefined) throw new Error("fast-check returned no scheduler");
  return scheduler;
}

/** Describes a history, a line for its conditions and each step. */
export function describeHistory({ conditions, steps }: History): string {
  return [conditions, ...steps].map((part) => JSON.stringify(part)).join("\n");
}
