/** The parts of a classification that tests of `classify` share, and how a row of a table is tested. */
import assert from "node:assert/strict";
import {
  type Classification,
  type ClassifyOptions,
  classify,
} from "../../../connection-strings/src";

export const hosts = {
  form: "hosts",
  projectLabel: "ab1cd",
  domain: "db.example",
  providerLabel: undefined,
  port: 27017,
} as const;
export const srv = { ...hosts, form: "srv", port: undefined, node: undefined } as const;
const noNode = ({ node, ...parts }: typeof srv) => parts;
export const endpointSrv = noNode(srv);
export const node = { of: "shard", shard: "00", index: "00" } as const;

/** A connection string and what it is. */
export interface Row {
  readonly row: string;
  readonly of: string;
  readonly given?: ClassifyOptions;
  readonly is: Classification;
}

/** Tests that `classify` returns what each row says. */
export function testRows(rows: readonly Row[]): void {
  for (const { row, of, given, is } of rows) {
    it(`knows ${row}, and its parts`, () => {
      assert.deepEqual(classify(of, given), is);
    });
  }
}
