/**
 * Runs the property tests of this folder. The environment changes them:
 * - `FUZZ_RUNS`: the number of inputs of a property. Default: 300
 * - `FUZZ_SEED` and `FUZZ_PATH`: repeat a failure, with the values in its message
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { unsafeCharacters } from "../../provider/src/messages/text";

const runs = Number(process.env["FUZZ_RUNS"] ?? "300");

/** The default timeout of Mocha is too short for a long run. */
const millisecondsPerInput = 200;

/** A property of all inputs. */
export interface Property<Input> {
  readonly inputs: fc.Arbitrary<Input>;
  /** Fails if the property does not hold for an input. */
  readonly check: (input: Input) => void | Promise<void>;
}

/** Defines a test that checks a property of many inputs. */
export function property<Input>(title: string, definition: Property<Input>): void {
  const { inputs, check } = definition;
  it(title, async function () {
    this.timeout(60_000 + runs * millisecondsPerInput);
    const { FUZZ_SEED: seed, FUZZ_PATH: path } = process.env;
    const checked = fc.asyncProperty(inputs, async (input) => {
      await check(input);
    });
    await fc.assert(checked, {
      numRuns: runs,
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

/** Calls a function, and fails if it throws anything but an error of a class with a message that is safe to print. */
export function outcomeOf<Value>(
  call: () => Value,
  documented: abstract new (...args: never[]) => Error,
): Outcome<Value> {
  try {
    return { kind: "value", value: call() };
  } catch (error) {
    assert.ok(error instanceof documented, error instanceof Error ? error.stack : String(error));
    assertSafeMessage(error.message);
    return { kind: "error", message: error.message };
  }
}

/** Fails if a message controls a terminal, contains a planted secret, is empty or is too long. */
export function assertSafeMessage(message: string): void {
  const unsafe = message.replaceAll("\n", "").match(unsafeCharacters);
  assert.equal(unsafe, null, `unsafe characters in: ${JSON.stringify(message.slice(0, 2000))}`);
  assert.ok(!message.toLowerCase().includes(plantedSecret), `a secret in: ${message}`);
  assert.ok(message.trim() !== "" && message.length <= 20_000, `${message.length} characters`);
}
