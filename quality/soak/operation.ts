/** Runs an operation of the soak, and checks its errors and requests. */
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import type { ReceivedRequest } from "clouddb-simulator";
import {
  type Credentials,
  type Random,
  type ServiceFault,
  injectedKinds,
  planFaults,
} from "./faults";
import { canListProcesses, processesWith } from "../../scripts/markedProcesses.cjs";
import { type ProgramStack, readState } from "./stacks";
import type { FaultyService } from "./service";

/** A stack of the soak. */
export interface SoakStack extends ProgramStack {
  readonly number: number;
  readonly credentials: Credentials;
}

/** What an operation does. `enabled` is the mode that the program requests. */
export type Step =
  | { readonly verb: "up"; readonly enabled: boolean }
  | { readonly verb: "refresh" | "destroy" };

/** The result of one operation. */
export interface OperationResult {
  readonly verb: Step["verb"];
  /** As requested, with a refusal of the guard, or with another error. */
  readonly outcome: "succeeded" | "refused" | "failed";
  /** The violated expectations; empty if there are none. */
  readonly violations: readonly string[];
  readonly counts: RequestCounts;
  /** The number of changes of the mode that the operation required. */
  readonly patchesNeeded: number;
  /** The service faults that requests met. */
  readonly faults: readonly ServiceFault[];
  readonly connectionFaults: number;
  readonly seconds: number;
  /** Whether the operation did not end in time and was stopped. */
  readonly isHanging: boolean;
  /** Processes that were still running 10 s after the operation. */
  readonly leakedProcesses: number;
  /** The errors that the user sees. */
  readonly errors: readonly string[];
}

/** An operation that takes longer counts as hanging. */
const maxMinutes = 10;

/** The number of listings in an operation without faults: one in `check`, and one in the guard of a change. */
const expectedListings = 2;

const refusal = /cannot be disabled: .* version 7\.0\.0 or later/;

/**
 * Runs one operation.
 *
 * @param random determines the faults; undefined injects none
 */
export async function runOperation(
  { simulator, proxy, projectId }: FaultyService,
  stack: SoakStack,
  step: Step,
  random: Random | undefined,
): Promise<OperationResult> {
  const project = simulator.project(projectId);
  const before = project.privateIpMode.enabled;
  const isBlocked = project.clusters.some(({ version }) => Number(version.split(".")[0]) < 7);
  const lastRequest = simulator.requests.at(-1);
  const connectionFaultsBefore = proxy.faults();
  const planned = random === undefined ? [] : planFaults(random, stack.credentials);
  simulator.faults.push(...planned.map(({ fault }) => fault));
  proxy.choose(random);

  const start = performance.now();
  const { errors, failedResources, failure, isHanging } = await attempt(stack, step);
  const seconds = (performance.now() - start) / 1000;
  const faults = injectedKinds(planned, simulator.faults.pending);
  simulator.faults.clear();
  proxy.choose(undefined);

  // The simulator keeps only the newest requests.
  const first = lastRequest === undefined ? 0 : simulator.requests.lastIndexOf(lastRequest) + 1;
  const counts = countRequests(simulator.requests.slice(first));
  const connectionFaults = proxy.faults() - connectionFaultsBefore;
  const after = project.privateIpMode.enabled;
  const patchesNeeded = before === after ? 0 : 1;
  const messages = errors.map(({ message }) => message);
  const isRefused = messages.some((message) => refusal.test(message));
  const outcome = failure === undefined ? "succeeded" : isRefused ? "refused" : "failed";

  const violations: string[] = [];
  const expect = (holds: boolean, violation: string) => {
    if (!holds) violations.push(violation);
  };

  // The mode.
  const { onDelete, lookups } = stack.args;
  const mustRefuse = step.verb === "up" && !step.enabled && before && isBlocked;
  const mayChange =
    step.verb === "up"
      ? outcome !== "refused" && !mustRefuse
      : step.verb === "destroy" && onDelete === "restore";
  expect(outcome !== "refused" || mustRefuse, "was refused although it is allowed");
  expect(outcome !== "succeeded" || !mustRefuse, "disabled the mode below 7.0");
  expect(after === before || mayChange, "changed the mode");
  if (outcome === "succeeded" && step.verb === "up") {
    expect(after === step.enabled, `succeeded, but the mode is ${String(after)}`);
  }

  // The requests.
  const { patchesApplied, patchesRepeatedBlindly, listings } = counts;
  const maxListings = expectedListings + counts.patchesSent + connectionFaults + faults.length;
  expect(
    patchesApplied === patchesNeeded,
    `changed the mode ${patchesApplied} times; expected ${patchesNeeded}`,
  );
  expect(patchesRepeatedBlindly === 0, "repeated a change without reading the mode");
  expect(
    listings <= maxListings,
    `listed the clusters ${listings} times; expected at most ${maxListings}`,
  );

  // The errors: one for each failed resource, which names its request.
  for (const urn of new Set([...failedResources, ...errors.map((error) => error.urn)])) {
    const own = errors.filter((error) => error.urn === urn).map(({ message }) => message);
    const name = urn === "" ? "no resource" : urn;
    expect(own.length === 1, `printed ${own.length} errors for ${name}: ${own.join("; ")}`);
  }
  if (outcome === "failed") {
    expect(messages.length > 0, `failed without an error of its own:\n${failure}`);
    for (const message of messages) {
      const isClear = /[.)]$/.test(message) && /(GET|PATCH|POST) \//.test(message);
      expect(isClear, `failed with an unclear error: ${message}`);
    }
    expect(!/^\s+at .+:\d+:\d+/m.test(failure ?? ""), `printed a stack trace:\n${failure}`);
  }

  // The state.
  if (outcome === "succeeded") {
    const state = await readState(stack.tested.stack);
    const isDestroyed = step.verb === "destroy";
    const mode = isDestroyed ? undefined : after;
    const strings = state.strings.filter((text) => /^db\+srv:\/\/\S+$/.test(String(text)));
    const expected = isDestroyed ? 0 : lookups;
    expect(state.pendingOperations === 0, "left pending operations in the state");
    expect(
      state.mode === mode,
      `recorded the mode ${String(state.mode)}, but it is ${String(after)}`,
    );
    expect(
      strings.length === expected && state.strings.length === expected,
      `recorded ${strings.length} connection strings instead of ${expected}`,
    );
  }

  // The processes.
  const running = () => processesWith(stack.tested.folder);
  if (canListProcesses) await waitUntil(() => running().length === 0, 10);
  const leaked = running();
  expect(!isHanging, `did not end within ${maxMinutes} minutes`);
  for (const { pid, command } of leaked) violations.push(`left process ${pid} behind: ${command}`);

  return {
    verb: step.verb,
    outcome,
    violations,
    counts,
    patchesNeeded,
    faults,
    connectionFaults,
    seconds,
    isHanging,
    leakedProcesses: leaked.length,
    errors: messages,
  };
}

interface Attempt {
  /** The errors that the user sees, and the resources that they are about; empty for none. */
  readonly errors: readonly { readonly urn: string; readonly message: string }[];
  /** The URNs of the resources whose operation failed. A resource whose check failed has only an error. */
  readonly failedResources: readonly string[];
  /** Everything that the CLI printed if the operation failed. */
  readonly failure: string | undefined;
  readonly isHanging: boolean;
}

async function attempt(
  { tested: { stack }, requestMode }: SoakStack,
  step: Step,
): Promise<Attempt> {
  const errors: { urn: string; message: string }[] = [];
  const failedResources: string[] = [];
  const onEvent = ({ diagnosticEvent, resOpFailedEvent }: EngineEvent) => {
    if (resOpFailedEvent !== undefined) failedResources.push(resOpFailedEvent.metadata.urn);
    if (diagnosticEvent?.severity !== "error") return;
    const { urn = "", message } = diagnosticEvent;
    // The engine adds this to every failed operation.
    if (!/^(update|preview|refresh|destroy) failed$/.test(message.trim())) {
      errors.push({ urn, message: message.trim() });
    }
  };
  const signal = AbortSignal.timeout(maxMinutes * 60_000);
  if (step.verb === "up") requestMode(step.enabled);
  try {
    await stack[step.verb]({ onEvent, signal });
    return { errors, failedResources, failure: undefined, isHanging: false };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { errors, failedResources, failure, isHanging: signal.aborted };
  }
}

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

/** Counts the requests of one operation. */
export function countRequests(requests: readonly ReceivedRequest[]): RequestCounts {
  const patches = requests.filter(({ method, status }) => method === "PATCH" && status !== 401);
  const isModeRead = ({ operation, method, status }: ReceivedRequest) =>
    operation === "getPrivateIpMode" && method === "GET" && status === 200;
  return {
    requests: requests.length,
    patchesSent: patches.length,
    // The service reads the body of a request only when it processes it.
    patchesApplied: patches.filter(
      ({ status, body }) => body !== undefined && (status === 200 || status === 0),
    ).length,
    patchesRepeatedBlindly: patches.filter((patch, i) => {
      const previous = patches[i - 1];
      // A request that was rejected with a 429 had no effect.
      if (previous === undefined || previous.status === 429) return false;
      return !requests.slice(requests.indexOf(previous), requests.indexOf(patch)).some(isModeRead);
    }).length,
    listings: requests.filter(
      ({ operation, status }) => operation === "listClusters" && status === 200,
    ).length,
  };
}

/** Waits until a condition holds. Returns false if the time limit was reached. */
export async function waitUntil(
  holds: () => boolean,
  seconds: number,
  pollMs = 50,
): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  while (!holds()) {
    if (performance.now() > end) return false;
    await sleep(pollMs);
  }
  return true;
}
