/** Runs an operation of the soak, and checks its errors and requests. */
import type { EngineEvent } from "@pulumi/pulumi/automation";
import type { ReceivedRequest } from "clouddb-simulator";
import type { TestStack } from "../../tests/engine/stack";
import {
  type Credentials,
  type Random,
  type ServiceFault,
  countInjected,
  planFaults,
} from "./faults";
import { canListProcesses, processesWith, waitUntil } from "./processes";
import { type ProviderKind, type SoakProgram, preambleOf, programText } from "./programs";
import { readState } from "./recovery";
import type { FaultyService } from "./service";

/** A stack of the soak, and its program. */
export interface SoakStack {
  readonly number: number;
  readonly tested: TestStack;
  readonly kind: ProviderKind;
  readonly credentials: Credentials;
  readonly program: Omit<SoakProgram, "enabled">;
}

/** What an operation does. `enabled` is the mode that the program requests. */
export type Step =
  | { readonly verb: "up"; readonly enabled: boolean }
  | { readonly verb: "refresh" }
  | { readonly verb: "destroy" };

/** How an operation ended: as requested, with a refusal of the guard, or with another error. */
type Outcome = "succeeded" | "refused" | "failed";

/** The result of one operation. */
export interface OperationResult {
  readonly verb: Step["verb"];
  readonly outcome: Outcome;
  /** The violated expectations; empty if there are none. */
  readonly violations: readonly string[];
  readonly counts: RequestCounts;
  /** The number of changes of the mode that the operation required. */
  readonly patchesNeeded: number;
  readonly faults: Readonly<Record<ServiceFault, number>>;
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

/**
 * Runs one operation.
 *
 * @param random determines the faults; undefined injects none
 */
export async function runOperation(
  service: FaultyService,
  stack: SoakStack,
  step: Step,
  random: Random | undefined,
): Promise<OperationResult> {
  const { simulator, proxy, projectId } = service;
  const before = simulator.project(projectId).privateIpMode.enabled;
  const isBlocked = simulator.project(projectId).clusters.some(({ version }) => isBelow7(version));
  const lastRequest = simulator.requests.at(-1);
  const connectionFaults = () => Object.values(proxy.injected).reduce((sum, n) => sum + n, 0);
  const faultsBefore = connectionFaults();
  const faults = random === undefined ? [] : planFaults(random, stack.credentials);
  simulator.faults.push(...faults);
  proxy.choose(random);

  const start = performance.now();
  const ended = await attempt(stack, step);
  const seconds = (performance.now() - start) / 1000;
  const injected = countInjected(faults, simulator.faults.pending);
  simulator.faults.clear();
  proxy.choose(undefined);

  const requests = simulator.requests.slice(
    lastRequest === undefined ? 0 : simulator.requests.lastIndexOf(lastRequest) + 1,
  );
  const counts = countRequests(requests);
  const after = simulator.project(projectId).privateIpMode.enabled;
  const leaked = await leakedProcesses(stack);
  const outcome = outcomeOf(ended);
  const connections = connectionFaults() - faultsBefore;
  const lost = connections + Object.values(injected).reduce((sum, n) => sum + n, 0);
  const violations = [
    ...settingViolations(step, { before, after, isBlocked, outcome, stack }),
    ...requestViolations(counts, { isChanged: before !== after, lost }),
    ...countViolations(ended),
    ...(outcome === "failed" ? clarityViolations(ended, ended.output) : []),
    ...(outcome === "succeeded" ? await stateViolations(stack, step, after) : []),
    ...(ended.isHanging ? [`did not end within ${maxMinutes} minutes`] : []),
    ...leaked.map(({ pid, command }) => `left process ${pid} behind: ${command.join(" ")}`),
  ];
  return {
    verb: step.verb,
    outcome,
    violations,
    counts,
    patchesNeeded: before === after ? 0 : 1,
    faults: injected,
    connectionFaults: connections,
    seconds,
    isHanging: ended.isHanging,
    leakedProcesses: leaked.length,
    errors: ended.errors.map(({ message }) => message),
  };
}

interface Ended extends ReportedErrors {
  readonly isFailed: boolean;
  readonly isHanging: boolean;
  /** Everything that the CLI printed if the operation failed; otherwise empty. */
  readonly output: string;
}

async function attempt({ tested, kind, program }: SoakStack, step: Step): Promise<Ended> {
  const { stack } = tested;
  const { onEvent, ...reported } = collectErrors();
  const signal = AbortSignal.timeout(maxMinutes * 60_000);
  const options = { onEvent, signal };
  const run = (): Promise<unknown> => {
    if (step.verb !== "up") return stack[step.verb](options);
    tested.program(programText({ ...program, enabled: step.enabled }), preambleOf(kind));
    return stack.up(options);
  };
  try {
    await run();
    return { ...reported, isFailed: false, isHanging: false, output: "" };
  } catch (error) {
    const output = error instanceof Error ? error.message : String(error);
    return { ...reported, isFailed: true, isHanging: signal.aborted, output };
  }
}

const refusal = /cannot be disabled: .* version 7\.0\.0 or later/;

function outcomeOf({ isFailed, errors }: Ended): Outcome {
  if (!isFailed) return "succeeded";
  return errors.some(({ message }) => refusal.test(message)) ? "refused" : "failed";
}

interface Observed {
  readonly before: boolean;
  readonly after: boolean;
  /** Whether a cluster of the project is below 7.0. */
  readonly isBlocked: boolean;
  readonly outcome: Outcome;
  readonly stack: SoakStack;
}

function settingViolations(step: Step, { before, after, isBlocked, outcome, stack }: Observed) {
  const violations: string[] = [];
  const mustRefuse = step.verb === "up" && !step.enabled && before && isBlocked;
  if (outcome === "refused" && !mustRefuse) violations.push("was refused although it is allowed");
  if (outcome === "succeeded" && mustRefuse) violations.push("disabled the mode below 7.0");
  if (outcome === "succeeded" && step.verb === "up" && after !== step.enabled) {
    violations.push(`succeeded, but the mode is ${String(after)}`);
  }
  const mayChange =
    step.verb === "up"
      ? outcome !== "refused" && !mustRefuse
      : step.verb === "destroy" && stack.program.onDelete === "restore";
  if (after !== before && !mayChange) violations.push("changed the mode");
  return violations;
}

/** The number of listings in an operation without faults: one in `check`, and one in the guard of a change. */
const expectedListings = 2;

function requestViolations(
  { patchesApplied, patchesRepeatedBlindly, patchesSent, listings }: RequestCounts,
  { isChanged, lost }: { readonly isChanged: boolean; readonly lost: number },
): string[] {
  const violations: string[] = [];
  const needed = isChanged ? 1 : 0;
  if (patchesApplied !== needed) {
    violations.push(`changed the mode ${patchesApplied} times; expected ${needed}`);
  }
  if (patchesRepeatedBlindly > 0) violations.push("repeated a change without reading the mode");
  const maxListings = expectedListings + patchesSent + lost;
  if (listings > maxListings) {
    violations.push(`listed the clusters ${listings} times; expected at most ${maxListings}`);
  }
  return violations;
}

async function stateViolations(
  { tested, program }: SoakStack,
  step: Step,
  mode: boolean,
): Promise<string[]> {
  const state = await readState(tested.stack);
  const isDestroyed = step.verb === "destroy";
  const violations: string[] = [];
  if (state.pendingOperations > 0) violations.push("left pending operations in the state");
  if (isDestroyed ? state.mode !== undefined : state.mode?.enabled !== mode) {
    violations.push(`recorded the mode ${String(state.mode?.enabled)}, but it is ${String(mode)}`);
  }
  const strings = state.strings.filter((text) => /^db\+srv:\/\/\S+$/.test(String(text)));
  const expected = isDestroyed ? 0 : program.lookups;
  if (strings.length !== expected || state.strings.length !== expected) {
    violations.push(`recorded ${strings.length} connection strings instead of ${expected}`);
  }
  return violations;
}

async function leakedProcesses({ tested }: SoakStack) {
  const running = () => processesWith(tested.folder);
  if (canListProcesses) await waitUntil(() => running().length === 0, 10);
  return running();
}

function isBelow7(version: string): boolean {
  return Number(version.split(".")[0]) < 7;
}

/** An error that the user sees. */
interface PrintedError {
  /** The resource that the error is about; empty for none. */
  readonly urn: string;
  readonly message: string;
}

/** What an operation reported about failures. */
export interface ReportedErrors {
  readonly errors: readonly PrintedError[];
  /** The URNs of the resources whose operation failed. A resource whose check failed has only an error. */
  readonly failedResources: ReadonlySet<string>;
}

/** Collects the errors of an operation; `onEvent` is one of its options. */
function collectErrors(): ReportedErrors & {
  readonly onEvent: (event: EngineEvent) => void;
} {
  const errors: PrintedError[] = [];
  const failedResources = new Set<string>();
  const onEvent = ({ diagnosticEvent, resOpFailedEvent }: EngineEvent) => {
    if (resOpFailedEvent !== undefined) failedResources.add(resOpFailedEvent.metadata.urn);
    if (diagnosticEvent?.severity !== "error") return;
    const { urn = "", message } = diagnosticEvent;
    // The engine adds this to every failed operation.
    if (!/^(update|preview|refresh|destroy) failed$/.test(message.trim())) {
      errors.push({ urn, message: message.trim() });
    }
  };
  return { errors, failedResources, onEvent };
}

/** Returns the resources that failed without an error, or that have several. */
function countViolations({ errors, failedResources }: ReportedErrors): string[] {
  const urns = new Set([...failedResources, ...errors.map(({ urn }) => urn)]);
  return [...urns].flatMap((urn) => {
    const messages = errors.filter((error) => error.urn === urn).map(({ message }) => message);
    if (messages.length === 1) return [];
    return `printed ${messages.length} errors for ${urn === "" ? "no resource" : urn}: ${messages.join("; ")}`;
  });
}

/**
 * Returns what makes the errors of a failed operation unclear: each must name its request, end with a
 * full stop, possibly in parentheses, and have no stack trace.
 *
 * @param output everything that the CLI printed
 */
function clarityViolations({ errors }: ReportedErrors, output: string): string[] {
  const violations: string[] = [];
  if (errors.length === 0) violations.push(`failed without an error of its own:\n${output}`);
  const unclear = errors
    .map(({ message }) => message)
    .filter((message) => !/[.)]$/.test(message) || !/(GET|PATCH|POST) \//.test(message));
  if (unclear.length > 0) violations.push(`failed with an unclear error: ${unclear.join("; ")}`);
  if (/^\s+at .+:\d+:\d+/m.test(output)) violations.push(`printed a stack trace:\n${output}`);
  return violations;
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
