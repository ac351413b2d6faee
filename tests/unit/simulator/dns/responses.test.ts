import assert from "node:assert/strict";
import { type Answer, decode, encode } from "dns-packet";
import {
  type Responder,
  respondOverTcp,
  respondOverUdp,
} from "../../../../simulator/src/dns/server";

const name = "orders.ab1cd.clusters.example";
const records: Answer[] = Array.from({ length: 30 }, (_, at) => ({
  type: "A",
  name,
  data: `10.0.0.${at}`,
}));
const responder: Responder = {
  domain: "clusters.example",
  answer: () => ({ kind: "name", records }),
};
const queryOf = (udpPayloadSize?: number) =>
  encode({
    type: "query",
    id: 7,
    questions: [{ type: "A", name }],
    additionals:
      udpPayloadSize === undefined
        ? []
        : [
            {
              type: "OPT",
              name: ".",
              udpPayloadSize,
              extendedRcode: 0,
              ednsVersion: 0,
              flags: 0,
              flag_do: false,
              options: [],
            },
          ],
  });

describe("a DNS response", () => {
  it("is truncated over UDP if it is larger than 512 bytes and the client does not use EDNS", () => {
    const response = decode(respondOverUdp(queryOf(), responder) ?? Buffer.alloc(0));
    assert.equal(response.flag_tc, true);
    assert.deepEqual(response.answers, []);
  });

  it("is truncated over UDP if it is larger than the client's limit, which is at most 1232 bytes", () => {
    for (const limit of [600, 65_535]) {
      const response = decode(respondOverUdp(queryOf(limit), responder) ?? Buffer.alloc(0));
      assert.equal(response.flag_tc, true);
    }
  });

  it("is complete over TCP", () => {
    const response = decode(respondOverTcp(queryOf(), responder) ?? Buffer.alloc(0));
    assert.equal(response.flag_tc, false);
    assert.equal(response.answers?.length, 30);
    assert.equal(response.id, 7);
  });

  it("is a format error for a query that cannot be decoded, and missing for a response", () => {
    const broken = Buffer.concat([queryOf().subarray(0, 12), Buffer.from([63, 1])]);
    assert.equal(respondOverUdp(broken, responder)?.readUInt8(3), 1);
    const response = respondOverTcp(queryOf(), responder) ?? Buffer.alloc(0);
    assert.equal(respondOverTcp(response, responder), undefined);
    assert.equal(respondOverUdp(Buffer.alloc(3), responder), undefined);
  });
});
