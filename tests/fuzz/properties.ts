/**
 * Runs the property tests of this folder. The environment changes them:
 * - `FUZZ_RUNS`: the number of inputs of a fast property. Default: 300
 * - `FUZZ_SEED` and `FUZZ_PATH`: repeat a failure, with the values in its message
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { unsafeCharacters } from "../../provider/src/messages/text";

const runs = Number(process.env["FUZZ_RUNS"] ?? "300");

/** The limit for one input, in seconds of CPU time, so that other processes do not count. */
const maxCpuSeconds = 1;

/** The default timeout of Mocha is too short for a long run. */
const millisecondsPerInput = 200;

/** The names that all objects and functions inherit. No input may add one. */
const inherited = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
const inheritedNames = inherited.map((each) => Reflect.ownKeys(each).length);

async function cpuSeconds(work: () => void | Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

/** A property of all inputs. */
export interface Property<Input> {
  readonly inputs: fc.Arbitrary<Input>;
  /** Fails if the property does not hold for an input. */
  readonly check: (input: Input) => void | Promise<void>;
  /** Inputs that failed once; each run starts with them. Default: none */
  readonly examples?: readonly Input[];
  /** Divides the number of inputs of a fast property. Default: 1 */
  readonly slowness?: number;
}

/**
 * Defines a test that checks a property of many inputs, each within a second of CPU time and without a
 * change to a prototype.
 */
export function property<Input>(title: string, each: Property<Input>): void {
  const { inputs, check, examples = [], slowness = 1 } = each;
  it(title, async function () {
    const numRuns = Math.max(1, Math.ceil(runs / slowness));
    this.timeout(60_000 + numRuns * slowness * millisecondsPerInput);
    const { FUZZ_SEED: seed, FUZZ_PATH: path } = process.env;
    const bounded = fc.asyncProperty(inputs, async (input) => {
      let seconds = await cpuSeconds(() => check(input));
      // The first input also loads code.
      if (seconds >= maxCpuSeconds) seconds = await cpuSeconds(() => check(input));
      assert.ok(seconds < maxCpuSeconds, `${seconds} s of CPU time`);
      const names = inherited.map((prototype) => Reflect.ownKeys(prototype).length);
      assert.deepEqual(names, inheritedNames, "a prototype has new properties");
    });
    await fc.assert(bounded, {
      numRuns,
      examples: examples.map((example): [Input] => [example]),
      // A failure must end the test, even if no smaller input fails as well.
      plugins: [
        fc.interruptAfterTimeLimit(numRuns * slowness * millisecondsPerInput, {
          failOnInterrupt: true,
        }),
      ],
      ...(seed === undefined ? {} : { seed: Number(seed) }),
      ...(path === undefined ? {} : { path }),
    });
  });
}

/** The value that a call returns, or the message of a documented error. */
export type Outcome<Value> =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "error"; readonly message: string };

/** A part of every planted secret. No message may contain it. */
export const plantedSecret = "pl4nted-s3cret";

/**
 * Calls a function, and fails if it throws anything but a documented error with a message that is safe
 * to print.
 *
 * @param call the function, synchronous or asynchronous
 * @param isDocumented whether an error is one of those that the function documents
 * @param maxLength the maximum length of its message, in characters. Default: 20,000
 */
export async function outcomeOf<Value>(
  call: () => Value | Promise<Value>,
  isDocumented: (error: unknown) => boolean,
  maxLength?: number,
): Promise<Outcome<Value>> {
  try {
    return { kind: "value", value: await call() };
  } catch (error) {
    if (!(error instanceof Error) || !isDocumented(error)) {
      assert.fail(
        `not a documented error: ${error instanceof Error ? error.stack : String(error)}`,
      );
    }
    assertSafeMessage(error.message, maxLength);
    return { kind: "error", message: error.message };
  }
}

/** Fails if a message controls a terminal, contains a planted secret, is empty or is too long. */
export function assertSafeMessage(message: string, maxLength = 20_000): void {
  const unsafe = message.replaceAll("\n", "").match(unsafeCharacters);
  assert.equal(unsafe, null, `unsafe characters in: ${JSON.stringify(message.slice(0, 2000))}`);
  assert.ok(!message.toLowerCase().includes(plantedSecret), `a secret in: ${message}`);
  assert.ok(message.trim() !== "" && message.length <= maxLength, `${message.length} characters`);
}

/** Returns a function that recognizes errors of some classes. */
export function isOneOf(...classes: (abstract new (...args: never[]) => Error)[]) {
  return (error: unknown): boolean => classes.some((each) => error instanceof each);
}
