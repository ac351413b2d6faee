/** What tests of connection strings share: valid ones, and what is thrown for others. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type ConnectionStringErrorCode,
  ConnectionStringError,
  type ConnectionStringParts,
} from "../../../connection-strings/src";

/** Runs what must throw; gives the code. No message may repeat the text. */
export function codeOf(work: () => unknown): ConnectionStringErrorCode {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ConnectionStringError);
    return error.code;
  }
  assert.fail("nothing is thrown");
}

const plain = { noNullPrototype: true } as const;
const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
const text = (characters: string, maxLength: number, minLength = 1) =>
  fc.string({ unit: fc.constantFrom(...Array.from(characters)), minLength, maxLength });
const name = fc.array(text(`${letters}-_`, 8), { minLength: 1, maxLength: 4 });
const hostName = fc.oneof(
  name.map((labels) => labels.join(".")),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
);
const port = fc.option(fc.integer({ min: 1, max: 65535 }), { nil: undefined });
const host = (of: fc.Arbitrary<number | undefined>) =>
  fc.record({ name: hostName, port: of }, plain);
const rest = {
  userInfo: fc.option(text(`${letters}%:!$`, 12, 0), { nil: undefined }),
  database: fc.option(text(`${letters}%-_`, 8, 0), { nil: undefined }),
  options: fc.option(text(`${letters}%=&,/:?@`, 20, 0), { nil: undefined }),
};
const scheme = text("abcdefghijklmnopqrstuvwxyz", 8);

/** Parts of every valid connection string. */
export const parts: fc.Arbitrary<ConnectionStringParts> = fc.oneof(
  fc.record(
    { scheme, ...rest, hosts: fc.array(host(port), { minLength: 1, maxLength: 4 }) },
    plain,
  ),
  fc.record(
    {
      scheme: scheme.map((name) => `${name}+srv`),
      ...rest,
      hosts: fc.tuple(host(fc.constant(undefined))),
    },
    plain,
  ),
);
