import assert from "node:assert/strict";
import { decode, encode } from "dns-packet";
import fc from "fast-check";
import { respondOverTcp, respondOverUdp } from "../../simulator/src/dns/server";
import { property } from "./properties";

/** Answers every question with two addresses, as the zone of a cluster does. */
const responder = {
  domain: "clusters.example",
  answer: ({ name }: { name: string }) => ({
    kind: "name" as const,
    records: [
      { type: "A" as const, name, data: "198.51.100.1" },
      { type: "A" as const, name, data: "198.51.100.2" },
    ],
  }),
};

const name = fc.constantFrom("orders.ab1cd.clusters.example", ".", "a", `${"a.".repeat(120)}b`);

const query = fc
  .record({
    id: fc.nat({ max: 65_535 }),
    flags: fc.nat({ max: 65_535 }),
    names: fc.array(name, { maxLength: 3 }),
    type: fc.constantFrom("A" as const, "SRV" as const, "TXT" as const, "AXFR" as const),
  })
  .map(({ id, flags, names, type }) =>
    encode({ type: "query", id, flags, questions: names.map((each) => ({ type, name: each })) }),
  );

/** Replaces up to ten bytes of a query, and truncates or extends it. */
const damaged = fc
  .tuple(
    query,
    fc.array(fc.tuple(fc.nat({ max: 100 }), fc.nat({ max: 255 })), { maxLength: 10 }),
    fc.option(fc.nat({ max: 100 }), { nil: undefined }),
    fc.uint8Array({ maxLength: 40 }),
  )
  .map(([message, changes, end, more]) => {
    const bytes = Buffer.concat([message.subarray(0, end), more]);
    for (const [at, value] of changes) if (at < bytes.length) bytes.writeUInt8(value, at);
    return bytes;
  });

/** Thousands of questions, whose names are pointers to the long name of the first one. */
function manyQuestions(count: number): Buffer {
  const longName = `${"a.".repeat(120)}b`;
  const first = encode({ type: "query", id: 1, questions: [{ type: "A", name: longName }] });
  first.writeUInt16BE(count, 4);
  const question = Buffer.from([0xc0, 12, 0, 1, 0, 1]);
  return Buffer.concat([first, ...Array.from({ length: count - 1 }, () => question)]);
}

/** A label of 63 bytes that are not UTF-8: each would become three bytes. */
function notUtf8(): Buffer {
  const question = encode({
    type: "query",
    id: 1,
    questions: [{ type: "A", name: "a".repeat(63) }],
  });
  return question.fill(0x80, 13, 13 + 63);
}

const messages = fc.oneof(
  { weight: 5, arbitrary: damaged },
  { weight: 3, arbitrary: query },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: 100 }).map(manyQuestions) },
);

/** Fails if a response is not one to the message. */
function assertResponse(message: Buffer, response: Buffer | undefined, maxBytes: number): void {
  if (response === undefined) return;
  assert.ok(response.length <= maxBytes, `${response.length} bytes`);
  const { type, id } = decode(response);
  assert.equal(type, "response");
  assert.equal(id, message.readUInt16BE(0));
  // A response must not cause another one.
  assert.equal(message.readUInt8(2) & 0x80, 0);
}

describe("hostile DNS messages", () => {
  property("get a response that fits into a message, or none", {
    subject: "DNS messages",
    slowness: 2,
    inputs: messages,
    examples: [manyQuestions(2), manyQuestions(5), manyQuestions(10_000), notUtf8()],
    check: (message) => {
      assertResponse(message, respondOverUdp(message, responder), 1232);
      assertResponse(message, respondOverTcp(message, responder), 65_535);
    },
  });
});
