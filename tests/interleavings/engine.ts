/** A small engine in the order of the real one (engineCalls.json), with a process for each preview and update. */
import type fc from "fast-check";
import { InitializationError } from "../../provider/src/messages/errors";
import { VirtualTime } from "./clock";
import {
  type Disturbance,
  type Disturbed,
  type Happened,
  Network,
  type RequestKind,
  type Sent,
  type Stop,
  never,
} from "./network";
import { ProviderProcess, type Run, currentCaller, replaceSurroundings } from "./providers";
import {
  type Declared,
  type DescribedCall,
  type Operation,
  type OtherDeclared,
  type ResourceCalls,
  nameIn,
} from "./programs";
import { type Action, type Conditions, Service } from "./service";

type Properties = Record<string, unknown>;

/** A resource in the state of a stack. */
export interface Recorded extends Pick<Declared, "name" | "dependsOn"> {
  readonly type: Declared["type"] | "Other";
  readonly urn: string;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** Whether another resource took its place, and it will be deleted. */
  readonly isReplaced: boolean;
  /** Whether its creation or update failed after it changed something. */
  readonly isPartial: boolean;
}

/** The state of a stack. */
export interface Stack {
  resources: readonly Recorded[];
}

/** A point in the order of all events, and its time, in milliseconds since 1970. */
export interface Instant {
  readonly order: number;
  readonly at: number;
}

/** What a resource of another provider did in an update. */
export interface Act extends Instant {
  readonly action: Action;
  readonly process: ProviderProcess;
}

/** One call of the engine. */
export interface Call extends DescribedCall {
  /** When everything had ended that the resource depends on: the start of the phase if it depends on nothing. */
  readonly free: Instant;
  readonly process: ProviderProcess;
  readonly from: number;
  readonly fromSecond: number;
  /** Undefined until the call ends. */
  to?: number;
  toSecond?: number;
  result?: Properties;
  error?: string;
}

/** The result of an operation. */
export interface Outcome {
  readonly operation: Operation;
  readonly end: "succeeded" | "failed" | "killed";
  readonly error: string | undefined;
  readonly warnings: readonly string[];
  readonly calls: readonly Call[];
  readonly acts: readonly Act[];
  readonly after: readonly Recorded[];
  readonly from: number;
  readonly to: number;
}

/** The environment in which operations run. */
export interface Universe {
  readonly time: VirtualTime;
  readonly service: Service;
  readonly conditions: Conditions;
  readonly runs: Run[];
  readonly sent: readonly Sent[];
  readonly happened: readonly Happened[];
}

const services = new Map<string, Promise<Service>>();

/**
 * Runs work in a separate universe.
 *
 * @param scheduler decides what happens next
 */
export async function inUniverse<T>(
  scheduler: fc.Scheduler,
  conditions: Conditions,
  work: (universe: Universe) => Promise<T>,
): Promise<T> {
  // The client loads this on its first request, which takes real time.
  await import("undici");
  const { tokenSeconds, requestsPerMinute, retryAfter, maxPageSize } = conditions;
  const name = `${tokenSeconds} ${requestsPerMinute} ${retryAfter} ${maxPageSize}`;
  const creating = services.get(name) ?? Service.create(conditions);
  services.set(name, creating);
  const service = await creating;
  const runs: Run[] = [];
  const time = new VirtualTime(scheduler);
  const network = new Network(time, service, conditions, currentCaller);
  const restoreSurroundings = replaceSurroundings(runs);
  try {
    service.reset();
    const { sent, happened } = network;
    return await time.until(work({ time, service, conditions, runs, sent, happened }));
  } finally {
    restoreSurroundings();
    network.restore();
    time.restore();
  }
}

/** How long a process lives on after its engine is killed, in seconds. */
const orphanSeconds = 90;

/** Runs one operation on a stack. */
export async function operate(
  universe: Universe,
  stack: Stack,
  operation: Operation,
  disturbances: readonly Disturbance[] = [],
): Promise<Outcome> {
  return await new Execution(universe, stack, operation, disturbances).run();
}

/** A failed call or operation. */
class Failed extends Error {
  /** What the engine records, because the call changed something before it failed. */
  readonly partial: Change | undefined;

  constructor(message: string, partial?: Change) {
    super(message);
    this.partial = partial;
  }
}

/** What a creation or an update changes in the state. */
type Change = Pick<Recorded, "id" | "outputs" | "isPartial">;

/** Records a change, even if it failed after it changed something. */
async function recordChange(
  made: Promise<{ id: string; outs: Properties }>,
  record: (change: Change) => void,
): Promise<void> {
  try {
    const { id, outs } = await made;
    record({ id, outputs: outs, isPartial: false });
  } catch (error) {
    if (error instanceof Failed && error.partial !== undefined) record(error.partial);
    throw error;
  }
}

/** A resource, and when everything had ended that it depends on. Default: now */
type Called = Pick<Recorded, "urn"> & { readonly free?: Instant };
type Made = Declared & Required<Called>;
type MadeOther = OtherDeclared & Required<Called>;

class Execution implements Disturbed {
  readonly #universe: Universe;
  readonly #stack: Stack;
  readonly #operation: Operation;
  readonly disturbances: readonly Disturbance[];
  readonly counts = new Map<RequestKind, number>();
  readonly warnings: string[] = [];
  killedAt: number | undefined;
  readonly #calls: Call[] = [];
  readonly #acts: Act[] = [];
  #isPreview = false;
  /** The state of the current phase. A preview changes only its copy. */
  #state: Stack;
  #process: ProviderProcess | undefined;
  #run: Run | undefined;
  #failure: Failed | undefined;
  #isCancelled = false;
  #kill: () => void = () => undefined;

  constructor(
    universe: Universe,
    stack: Stack,
    operation: Operation,
    disturbances: readonly Disturbance[],
  ) {
    this.#universe = universe;
    this.#stack = stack;
    this.#state = stack;
    this.#operation = operation;
    this.disturbances = disturbances;
  }

  async run(): Promise<Outcome> {
    const from = this.#universe.service.next();
    const killed = new Promise<"killed">((resolve) => {
      this.#kill = () => {
        resolve("killed");
      };
    });
    const end = await Promise.race([killed, this.#runPhases()]);
    return {
      operation: this.#operation,
      end,
      error: this.#failure?.message ?? (this.#isCancelled ? "cancelled" : undefined),
      warnings: this.warnings,
      calls: this.#calls,
      acts: this.#acts,
      after: this.#stack.resources,
      from,
      to: this.#universe.service.next(),
    };
  }

  stop(how: Stop): void {
    const process = this.#process;
    if (how === "cancel") {
      this.#isCancelled = true;
      process?.cancel();
    } else if (how === "signal") {
      // The engine receives the signal, too, and starts nothing more.
      this.#isCancelled = true;
      void process?.end();
    } else if (how === "kill the provider") {
      process?.kill();
    } else {
      this.killedAt ??= this.#universe.service.next();
      if (this.#run !== undefined) this.#run.isAlive = false;
      this.#kill();
      void this.#universe.time.sleep(orphanSeconds).then(() => {
        process?.kill();
      });
    }
  }

  async #runPhases(): Promise<"succeeded" | "failed"> {
    const { verb } = this.#operation;
    if (verb === "up" && this.#operation.skipPreview !== true) await this.#runPhase(true);
    if (!this.#hasFailed()) await this.#runPhase(false);
    return this.#hasFailed() ? "failed" : "succeeded";
  }

  #hasFailed(): boolean {
    return this.#failure !== undefined || this.#isCancelled;
  }

  /** Runs the preview or the update in a separate process. */
  async #runPhase(isPreview: boolean): Promise<void> {
    const { runs, time, conditions } = this.#universe;
    const run = { address: `127.0.0.1:${runs.length + 1}`, isAlive: true };
    runs.push(run);
    this.#run = run;
    this.#isPreview = isPreview;
    this.#state = isPreview ? { ...this.#stack } : this.#stack;
    const process = new ProviderProcess(time, run, this, conditions);
    this.#process = process;
    const operation = this.#operation;
    if (operation.verb === "refresh" || operation.refresh === true) await this.#refresh();
    if (operation.verb === "destroy") await this.#deleteAll(this.#state.resources);
    if (operation.verb === "up") await this.#update(operation.program, operation.replace);
    await process.close();
    run.isAlive = false;
  }

  /** The other steps that are running end before the phase fails. */
  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      this.#failure ??= error;
    }
  }

  async #call<T extends Properties>(
    { urn, free = this.#now() }: Called,
    method: Call["method"],
    work: (provider: ResourceCalls) => Promise<T>,
    hasOlds = false,
  ): Promise<T> {
    const { time, service } = this.#universe;
    await time.turn(`${method} ${nameIn(urn)}`);
    const process = await this.#runningProcess();
    const call: Call = {
      method,
      urn,
      isPreview: this.#isPreview,
      hasOlds,
      free,
      process,
      from: service.next(),
      fromSecond: time.seconds,
    };
    this.#calls.push(call);
    const result = await process.call(call, work).catch((error: unknown) => {
      if (this.#wasKilled()) return never();
      this.#end(call);
      call.error = error instanceof Error ? error.message : String(error);
      throw new Failed(call.error, partialOf(error));
    });
    if (this.#wasKilled()) return await never();
    this.#end(call);
    // The engine receives a message, not the object itself.
    const received = JSON.parse(JSON.stringify(result)) as T;
    call.result = received;
    return received;
  }

  /** Runs the creation or the update of a resource of another provider. */
  async #act({ action, cluster, secondsBefore, secondsAfter }: OtherDeclared["inputs"]) {
    const { time, service } = this.#universe;
    await time.sleep(secondsBefore);
    const process = await this.#runningProcess();
    if (service.act(action, cluster)) this.#acts.push({ ...this.#now(), action, process });
    await time.sleep(secondsAfter);
    if (action === "replaces") service.act("creates", cluster);
    if (this.#wasKilled()) await never();
  }

  /** Returns the process of the phase. Throws after a cancellation. Nothing happens after the engine was killed. */
  async #runningProcess(): Promise<ProviderProcess> {
    if (this.#wasKilled() || this.#process === undefined) return await never();
    if (this.#isCancelled) throw new Failed("cancelled");
    return this.#process;
  }

  #now(): Instant {
    return { order: this.#universe.service.next(), at: Date.now() };
  }

  #wasKilled(): boolean {
    return this.killedAt !== undefined;
  }

  #end(call: Call): void {
    call.to = this.#universe.service.next();
    call.toSecond = this.#universe.time.seconds;
  }

  async #update(
    program: readonly (Declared | OtherDeclared)[],
    replace: string | undefined,
  ): Promise<void> {
    const start = this.#now();
    const steps = new Map<string, Promise<Instant>>();
    for (const declared of program) {
      const ends = await Promise.all(
        declared.dependsOn.map(async (name) => (await steps.get(name)) ?? start),
      );
      if (this.#failure !== undefined) break;
      const free = ends.reduce((last, end) => (end.order > last.order ? end : last), start);
      await this.#attempt(async () => {
        const resource = { ...declared, urn: urnOf(declared), free };
        const step = await this.#register(resource, declared.name === replace);
        steps.set(
          declared.name,
          this.#attempt(step).then(() => this.#now()),
        );
      });
    }
    await Promise.all(steps.values());
    if (this.#isPreview) return;
    const urns = new Set(program.map(urnOf));
    await this.#deleteAll(
      this.#state.resources.filter(({ urn, isReplaced }) => isReplaced || !urns.has(urn)),
    );
  }

  /** Checks a resource of the program; returns the step that it needs. */
  async #register(resource: Made | MadeOther, mustReplace: boolean): Promise<() => Promise<void>> {
    const old = this.#state.resources.find(
      ({ urn, isReplaced }) => urn === resource.urn && !isReplaced,
    );
    if (resource.type === "Other") return () => this.#makeOther(resource, old);
    if (old === undefined || mustReplace) {
      const inputs = await this.#check(resource, {});
      return () => this.#create(resource, inputs, old);
    }
    const inputs = await this.#check(resource, old.inputs);
    const { changes, replaces } = await this.#diff(resource, old, inputs);
    if (replaces.length > 0) {
      const replacing = await this.#check(resource, {});
      return () => this.#create(resource, replacing, old);
    }
    if (changes || old.isPartial) return () => this.#change(resource, inputs, old);
    return () => {
      // An unchanged resource keeps its outputs.
      const { id, outputs } = old;
      this.#record({ ...resource, id, inputs, outputs, isPartial: false }, old);
      return Promise.resolve();
    };
  }

  async #makeOther(resource: MadeOther, old: Recorded | undefined): Promise<void> {
    const { inputs, name, urn, dependsOn } = resource;
    const isSame = JSON.stringify(old?.inputs) === JSON.stringify(inputs);
    if (!isSame && !this.#isPreview) await this.#act(inputs);
    const recorded = { type: resource.type, name, urn, dependsOn, inputs: { ...inputs } };
    this.#record({ ...recorded, id: name, outputs: recorded.inputs, isPartial: false }, old);
  }

  async #check(resource: Made, olds: Properties): Promise<Properties> {
    // A program passes this, for lookups only.
    const { kind } = this.#universe.conditions;
    const isKnown = kind === "program" && resource.type === "ClusterConnectionStrings";
    const news = {
      ...resource.inputs,
      ...(isKnown ? { __bound: { after: resource.free.at, mustBeRecent: false } } : {}),
    };
    const { inputs, failures = [] } = await this.#call(
      resource,
      "check",
      async (provider) => ({ ...(await provider.check(resource.urn, olds, news)) }),
      Object.keys(olds).length > 0,
    );
    const [failure] = failures;
    if (failure !== undefined) throw new Failed(failure.reason);
    return inputs ?? {};
  }

  async #diff(resource: Called, old: Recorded, inputs: Properties) {
    return await this.#call(resource, "diff", async (provider) => ({
      ...(await provider.diff(resource.urn, old.id, old.outputs, inputs)),
    }));
  }

  async #create(resource: Made, inputs: Properties, old: Recorded | undefined): Promise<void> {
    const options = { preview: this.#isPreview, timeoutSeconds: undefined };
    const created = this.#call(resource, "create", (provider) =>
      provider.create(resource.urn, inputs, options),
    );
    await recordChange(created, (change) => {
      if (old !== undefined) this.#replace(old, [{ ...old, isReplaced: true }]);
      this.#record({ ...resource, inputs, ...change }, undefined);
    });
  }

  async #change(resource: Made, inputs: Properties, old: Recorded): Promise<void> {
    const options = { preview: this.#isPreview, timeoutSeconds: undefined };
    const updated = this.#call(resource, "update", async (provider) => {
      const { outs } = await provider.update(resource.urn, old.id, old.outputs, inputs, options);
      return { id: old.id, outs };
    });
    await recordChange(updated, (change) => {
      this.#record({ ...resource, inputs, ...change }, old);
    });
  }

  async #refresh(): Promise<void> {
    const resources = this.#state.resources;
    await Promise.all(
      resources.map((resource) =>
        this.#attempt(async () => {
          const { urn, id, outputs, type } = resource;
          if (type === "Other") return;
          const read = await this.#call(resource, "read", async (provider) => ({
            ...(await provider.read(urn, id, outputs)),
          }));
          if (read.props === undefined) {
            this.#replace(resource, []);
            return;
          }
          const { props, inputs = {} } = read;
          this.#replace(resource, [{ ...resource, inputs, outputs: props }]);
          await this.#diff(resource, { ...resource, outputs: props }, inputs);
        }),
      ),
    );
  }

  /** Deletes resources, each after those that depend on it. */
  async #deleteAll(resources: readonly Recorded[]): Promise<void> {
    let left = resources;
    while (left.length > 0 && this.#failure === undefined) {
      const needed = new Set(left.flatMap(({ dependsOn }) => dependsOn));
      const last = left.filter(({ name }) => !needed.has(name));
      // After an update that failed, each of two resources may need the other, one as of an earlier program.
      const free = last.length > 0 ? last : left;
      await Promise.all(
        free.map((resource) =>
          this.#attempt(async () => {
            const { urn, id, outputs, type } = resource;
            const isOther = type === "Other";
            if (!isOther) {
              await this.#call({ urn }, "delete", async (provider) => {
                await provider.delete(urn, id, outputs, undefined);
                return {};
              });
            }
            this.#replace(resource, []);
          }),
        ),
      );
      left = left.filter((resource) => !free.includes(resource));
    }
  }

  #record(
    { type, name, dependsOn, urn, id, inputs, outputs, isPartial }: Omit<Recorded, "isReplaced">,
    old: Recorded | undefined,
  ) {
    const known = { type, name, dependsOn, urn, id, inputs, outputs };
    const recorded: Recorded = { ...known, isPartial, isReplaced: false };
    if (old === undefined) this.#state.resources = [...this.#state.resources, recorded];
    else this.#replace(old, [recorded]);
  }

  #replace(old: Recorded, by: readonly Recorded[]): void {
    this.#state.resources = this.#state.resources.flatMap((resource) =>
      resource.urn === old.urn && resource.isReplaced === old.isReplaced && resource.id === old.id
        ? by
        : [resource],
    );
  }
}

function partialOf(error: unknown): Change | undefined {
  if (!(error instanceof InitializationError)) return undefined;
  return { id: error.id, outputs: { ...error.properties }, isPartial: true };
}

function urnOf({ type, name }: Pick<Recorded, "type" | "name">): string {
  return `urn:pulumi:test::tested::clouddb:index:${type}::${name}`;
}
