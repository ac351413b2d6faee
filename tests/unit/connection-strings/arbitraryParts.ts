/** Generates the parts of arbitrary valid connection strings. */
import fc from "fast-check";
import type { ConnectionStringParts } from "../../../connection-strings/src";

const plain = { noNullPrototype: true } as const;
const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
const text = (characters: string, maxLength: number, minLength = 1) =>
  fc.string({ unit: fc.constantFrom(...Array.from(characters)), minLength, maxLength });
const labels = fc.array(text(`${letters}-_`, 8), { minLength: 1, maxLength: 4 });
const domainName = fc.oneof(
  labels.map((parts) => `${parts.join(".")}.example`),
  fc.constantFrom("bücher.example", "例え.テスト"),
);
const hostName = fc.oneof(
  domainName,
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
);
const optionalPort = fc.option(fc.integer({ min: 1, max: 65535 }), { nil: undefined });
const encoded = fc.string({
  unit: fc.constantFrom(...Array.from(`${letters}!$`), "%25", "%C3%A9"),
  minLength: 1,
  maxLength: 6,
});
const userInfo = fc
  .tuple(encoded, fc.option(encoded, { nil: undefined }))
  .map(([user, password]) => (password === undefined ? user : `${user}:${password}`));
const scheme = text("abcdefghijklmnopqrstuvwxyz", 8);
const otherParts = {
  userInfo: fc.option(userInfo, { nil: undefined }),
  database: fc.option(text(`${letters}%-_`, 8, 0), { nil: undefined }),
  options: fc.option(text(`${letters}%=&,/:?`, 20, 0), { nil: undefined }),
};
const hostList = fc.record(
  {
    scheme,
    ...otherParts,
    hosts: fc.array(fc.record({ name: hostName, port: optionalPort }, plain), {
      minLength: 1,
      maxLength: 4,
    }),
  },
  plain,
);
const srvForm = fc.record(
  {
    scheme: scheme.map((name) => `${name}+srv`),
    ...otherParts,
    hosts: fc.tuple(fc.record({ name: domainName, port: fc.constant(undefined) }, plain)),
  },
  plain,
);

/** The parts of a valid connection string, in either form. */
export const arbitraryParts: fc.Arbitrary<ConnectionStringParts> = fc.oneof(hostList, srvForm);
