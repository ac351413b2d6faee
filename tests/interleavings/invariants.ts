/** The invariants of every history. Each one returns its violations. */
import type { Call, Outcome, Recorded } from "./engine";
import type { HistoryResult } from "./histories";
import type { Sent } from "./network";
import type { Action, Moment } from "./service";

type Invariant = (result: HistoryResult) => string[];

/** The maximum time between the end of the guard's list and a disable, in seconds, even if the machine was suspended. */
const maxListAge = 30;

/** The maximum time between the answer of the service to the last request of the list, and a disable, in seconds. */
const maxFactAge = maxListAge + 30;

/** The maximum time of one call of the engine, in seconds, for one change and a read of its result. */
const maxCallSeconds = 1210;

/** The maximum time of a call after a cancellation, in seconds, for a change that was sent and a read. */
const maxSecondsAfterCancel = 65;

/** The message that admits that a failed change may have been applied. */
const admission = /may or may not have been/;

const invariants = {
  "A disable is sent only after a complete and recent list without clusters below 7.0": ({
    service,
    conditions,
    sent,
  }) =>
    sent.filter(isDisable).flatMap((change) => {
      const earlier = sent.filter(
        (request) =>
          request.process === change.process &&
          request.kind === "list" &&
          request.answered !== undefined &&
          request.answered.at < change.sentAt,
      );
      const paths = conditions.clusterPaths.split(",");
      const lists = paths.map((name) =>
        earlier.findLast(
          (request) => request.path.includes(`/${name}`) && request.answered?.status === 200,
        ),
      );
      if (lists.some((list) => list === undefined)) return ["a disable without a list"];
      const from = Math.min(...lists.map((list) => list?.sentAt ?? 0));
      const ageOf = (part: "answered" | "handled") =>
        (change.sentTime - Math.max(...lists.map((list) => list?.[part]?.time ?? 0))) / 1000;
      const [age, factAge] = [ageOf("answered"), ageOf("handled")];
      const [first, ...others] = service.between(from, change.sentAt);
      const kept = (first?.old ?? []).filter((name) =>
        others.every(({ old }) => old.includes(name)),
      );
      return [
        ...(age > maxListAge ? [`a disable ${age} s after its list`] : []),
        ...(factAge > maxFactAge ? [`a disable ${factAge} s after what its list says`] : []),
        ...kept.map((name) => `a disable although ${name} was there since its list`),
      ];
    }),

  "No change is requested after the engine was killed": ({ sent }) =>
    sent
      .filter((request) => isChange(request) && request.requestedAt > killTime(request))
      .map(({ sentSecond }) => `a change at ${sentSecond} s`),

  "A change is repeated only after a read of the mode": ({ sent }) =>
    sent.filter(isChange).flatMap((change) => {
      const own = sent.filter(({ call }) => call === change.call);
      const previous = own
        .filter((request) => isChange(request) && request.sentAt < change.sentAt)
        .at(-1);
      const isHarmless = [401, 429].includes(previous?.answered?.status ?? 0);
      if (previous === undefined || isHarmless) return [];
      const isRead = own.some(
        (request) =>
          request.kind === "read" &&
          request.answered?.status === 200 &&
          request.sentAt > previous.sentAt &&
          request.answered.at < change.sentAt,
      );
      return isRead ? [] : ["a change was repeated without a read"];
    }),

  "After a successful update, mode and state are as declared": ({
    service,
    conditions,
    sent,
    outcomes,
  }) =>
    outcomes.flatMap((outcome) => {
      const { operation, end, after, to } = outcome;
      if (operation.verb !== "up" || end !== "succeeded") return [];
      return modesIn(after).flatMap(({ outputs, inputs, isReplaced }) => {
        const declared = inputs["enabled"];
        if (isReplaced) return ["a replaced resource is left in the state"];
        if (outputs["enabled"] !== declared) return ["the state has another mode"];
        const seen = requestsOf(outcome, sent).findLast(
          (request) =>
            (request.kind === "read" || request.kind === "change") &&
            request.answered?.status === 200,
        );
        // Without a GET, the recorded mode counts.
        if (seen === undefined && !conditions.isReadable) return [];
        if (seen?.handled === undefined) return ["it never read the mode"];
        const moments = service.between(seen.handled.from, to);
        return moments.some(({ enabled }) => enabled === declared)
          ? []
          : [`it succeeded, but the mode is ${String(!declared)}`];
      });
    }),

  "An update that nothing disturbs succeeds": ({ service, outcomes }) =>
    outcomes.flatMap((outcome) => {
      const { end, error, from, to, calls } = outcome;
      const isDisturbed = calls.some(({ process }) => process.operation.disturbances.length > 0);
      const lookedUp = calls.map(clusterOf).filter((name) => name !== undefined);
      const isBlocked = service
        .between(from, to)
        .some(
          ({ old, clusters }) => old.length > 0 || lookedUp.some((name) => !clusters.has(name)),
        );
      const isOrphaned = outcomes.some((other) => other.end === "killed" && other.to < from);
      if (end === "succeeded" || isDisturbed || isBlocked || isOrphaned) return [];
      return [`it failed with: ${firstLine(error)}`];
    }),

  "A failed change says so if it may have been applied": ({ service, sent, outcomes }) =>
    outcomes.flatMap(({ calls, warnings }) =>
      calls.flatMap((call) => {
        if (call.error === undefined || admission.test(call.error)) return [];
        if (warnings.some((warning) => admission.test(warning))) return [];
        if (call.error.includes("ended unexpectedly")) return [];
        const applied = requestsIn(call, sent).filter((request) => {
          const { handled } = request;
          if (!isChange(request) || handled?.status !== 200) return false;
          const [before, ...later] = service.between(handled.from, handled.to);
          const read = requestsIn(call, sent).find(
            ({ kind, sentAt, answered }) =>
              kind === "read" && answered?.status === 200 && sentAt > handled.to,
          );
          // Somebody else may have undone the change before it was read.
          const [seen] = service.between(read?.handled?.from ?? 0, read?.handled?.from ?? 0);
          const isUndone = read !== undefined && seen?.enabled === before?.enabled;
          return !isUndone && later.some(({ enabled }) => enabled !== before?.enabled);
        });
        return applied.map(
          () => `${call.method} changed the mode, but failed with: ${firstLine(call.error)}`,
        );
      }),
    ),

  "Without a GET, the update after an unknown outcome sends the change again": (result) =>
    result.conditions.isReadable ? [] : unknownModesUsed(result),

  "What a lookup says of its cluster was true after everything that it depends on had ended": (
    result,
  ) =>
    result.outcomes.flatMap((outcome) =>
      outcome.calls.flatMap((call) => {
        const name = clusterOf(call);
        if (name === undefined) return [];
        const facts = factsIn(call);
        const isMissing = failuresIn(call)[0]?.code === "cluster-not-found";
        const isTrue = ({ clusters }: Moment) =>
          isMissing
            ? !clusters.has(name)
            : facts.every((fact) => clusters.get(name)?.includes(fact));
        if (facts.length === 0 && !isMissing) return [];
        return currentMoments(result, outcome, call).some(isTrue)
          ? []
          : [`${call.method} of ${name} found ${isMissing ? "no cluster" : facts.join(", ")}`];
      }),
    ),

  "A check refuses a disable only because of what is true then": ({ service, outcomes }) =>
    outcomes.flatMap(({ calls, to }) =>
      calls.flatMap((call) => {
        const [failure] = failuresIn(call);
        if (failure?.code !== "refused") return [];
        const moments = service.between(call.from, call.to ?? to);
        const isTrue = moments.some(({ old }) => old.length > 0);
        return isTrue ? [] : [firstLine(failure.reason)];
      }),
    ),

  "Every call ends in time, and at once after a cancellation": ({ time, sent, outcomes }) =>
    outcomes.flatMap(({ calls, end }) =>
      calls.flatMap((call) => {
        const { cancelledSecond } = call.process;
        const name = `${call.method} ${call.urn}`;
        if (end === "killed") return [];
        const endSecond = call.toSecond ?? time.seconds;
        const after = requestsIn(call, sent).filter(
          ({ kind, sentSecond }) =>
            kind !== "revocation" && sentSecond > (cancelledSecond ?? Infinity),
        );
        return [
          ...(endSecond - call.fromSecond > maxCallSeconds ? [`${name} took too long`] : []),
          ...(endSecond - (cancelledSecond ?? Infinity) > maxSecondsAfterCancel
            ? [`${name} continued after it was cancelled`]
            : []),
          ...after.map(({ kind }) => `${name} sent a ${kind} request after it was cancelled`),
        ];
      }),
    ),
} satisfies Record<string, Invariant>;

/** Returns the violations of the invariants in a history. */
export function violationsIn(result: HistoryResult): string[] {
  const names = Object.entries<Invariant>(invariants);
  return names.flatMap(([name, invariant]) =>
    invariant(result).map((violation) => `${name}: ${violation}`),
  );
}

function isChange({ kind, headers }: Sent): boolean {
  return kind === "change" && headers["authorization"] !== undefined;
}

function killTime({ process }: Sent): number {
  return process.operation.killedAt ?? Infinity;
}

function isDisable(request: Sent): boolean {
  return isChange(request) && request.enabled === false;
}

function isLookup({ urn }: Pick<Call, "urn">): boolean {
  return urn.includes("::clouddb:index:ClusterConnectionStrings::");
}

/** Returns the result of a call that looks up a cluster, with its arguments. */
function lookedUpIn(call: Call): Readonly<Record<string, unknown>> {
  const { check, create, update, read } = {
    check: "inputs",
    create: "outs",
    update: "outs",
    read: "props",
  };
  const names: Partial<Record<Call["method"], string>> = { check, create, update, read };
  const found = isLookup(call) ? call.result?.[names[call.method] ?? ""] : undefined;
  return typeof found === "object" ? { ...found } : {};
}

function clusterOf(call: Call): string | undefined {
  const name = lookedUpIn(call)["clusterName"];
  return typeof name === "string" ? name : undefined;
}

/** Returns what a lookup found out about its cluster. */
function factsIn(call: Call): readonly string[] {
  const names = ["standard", "standardSrv", "private", "privateSrv", "databaseVersion"];
  const found = lookedUpIn(call);
  return names.map((name) => found[name]).filter((fact) => typeof fact === "string");
}

/** Returns the moments whose facts a lookup may return: those after everything had ended that it depends on. */
function currentMoments(
  { service, conditions, sent }: HistoryResult,
  outcome: Outcome,
  call: Call,
): readonly Moment[] {
  // A check after a change of the mode returns only what was true since then.
  const change = sent.findLast(
    (request) =>
      call.method === "check" &&
      isChange(request) &&
      request.process === call.process &&
      request.answered?.status === 200 &&
      request.answered.at < call.from,
  );
  const changed = change?.handled?.from ?? 0;
  // The plugin does not know what a lookup depends on, and a refresh does not say it.
  const isKnown = conditions.kind === "program" && call.method !== "read";
  const [first] = outcome.calls.filter(({ process }) => process === call.process);
  const from = isKnown ? call.free.order : (first?.from ?? outcome.from);
  return service.between(Math.max(from, changed), call.to ?? outcome.to);
}

function failuresIn({ method, result }: Call): readonly { code?: string; reason: string }[] {
  const failures = method === "check" ? result?.["failures"] : undefined;
  return Array.isArray(failures) ? (failures as { code?: string; reason: string }[]) : [];
}

/** Returns what other resources did to clusters between two calls about ours, in the same process. */
export function actionsBetweenCalls({ outcomes }: Pick<HistoryResult, "outcomes">): Set<Action> {
  const between = outcomes.flatMap(({ calls, acts }) =>
    acts.filter((act) => {
      const own = calls.filter(({ process }) => process === act.process);
      return (
        own.some(({ to }) => to !== undefined && to < act.order) &&
        own.some(({ from }) => from > act.order)
      );
    }),
  );
  return new Set(between.map(({ action }) => action));
}

/** Returns whether a cluster changed between two requests for one list: for two pages, or the last one and the proof. */
export function changesBetweenPages({ service, sent }: HistoryResult): boolean {
  const lists = sent.filter(({ kind, handled }) => kind === "list" && handled?.status === 200);
  return lists.some((page, index) => {
    const next = lists
      .slice(index + 1)
      .find(({ call, path }) => call === page.call && listPath(path) === listPath(page.path));
    const [from, to] = [page.handled?.to ?? 0, next?.handled?.from ?? 0];
    const [before, ...later] = service.between(from, to).map(clustersIn);
    return later.some((clusters) => clusters !== before);
  });
}

function listPath(path: string): string {
  return path.replace(/\?.*/, "");
}

function clustersIn({ clusters }: Moment): string {
  return JSON.stringify([...clusters]);
}

function modesIn(resources: readonly Recorded[]): Recorded[] {
  return resources.filter(({ type }) => type === "PrivateIpMode");
}

function requestsOf({ calls }: Outcome, sent: readonly Sent[]): Sent[] {
  const processes = new Set<unknown>(calls.map(({ process }) => process));
  return sent.filter(({ process }) => processes.has(process));
}

function requestsIn(call: Call, sent: readonly Sent[]): Sent[] {
  return sent.filter((request) => request.call === call && request.sentAt < (call.to ?? Infinity));
}

function firstLine(text = ""): string {
  return text.split("\n")[0] ?? "";
}

/** Follows the resources whose mode is not known until an update sends it again. */
function unknownModesUsed({ sent, outcomes }: HistoryResult): string[] {
  const unknown = new Set<string>();
  return outcomes.flatMap(({ operation, end, after, calls }) => {
    const isUpdated = operation.verb === "up" && end === "succeeded";
    const violations = [...unknown].flatMap((urn) => {
      const own = calls.filter((call) => call.urn === urn && call.error === undefined);
      const isSent = own.some((call) =>
        requestsIn(call, sent).some(
          (request) => isChange(request) && request.answered?.status === 200,
        ),
      );
      const isLeft = modesIn(after).some((mode) => mode.urn === urn && !mode.isReplaced);
      if (isSent || !isLeft) unknown.delete(urn);
      return isUpdated && isLeft && !isSent ? ["an update relied on a mode that is not known"] : [];
    });
    for (const { urn, error = "" } of calls) if (admission.test(error)) unknown.add(urn);
    return violations;
  });
}

/** The requests of a history, a line for each. */
export function describeRequests({ sent }: Pick<HistoryResult, "sent">): string {
  return sent
    .map(({ method, path, enabled, sentSecond, handled, answered }) =>
      [
        `${sentSecond.toFixed(1)} s: ${method} ${path.replace(/.*\/groups\/[^/]*/, "")}`,
        ...(enabled === undefined ? [] : [`enabled: ${String(enabled)}`]),
        handled === undefined ? "never handled" : `handled with ${handled.status}`,
        answered === undefined
          ? "never answered"
          : `answered ${answered.status} at ${answered.second.toFixed(1)} s`,
      ].join(", "),
    )
    .join("\n");
}
