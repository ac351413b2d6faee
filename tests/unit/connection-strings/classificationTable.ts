/** Tests `classify` with a table of connection strings, and the parts that most rows share. */
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
export const endpointSrv = { ...hosts, form: "srv", port: undefined } as const;
export const srv = { ...endpointSrv, node: undefined } as const;
export const node = { of: "shard", shard: "00", index: "00" } as const;

/** A connection string and its classification. */
export interface Row {
  /** Completes the test title "classifies ...". */
  readonly what: string;
  readonly text: string;
  readonly options?: ClassifyOptions;
  readonly expected: Classification;
}

/** Adds a test for each row. */
export function testRows(rows: readonly Row[]): void {
  for (const { what, text, options, expected } of rows) {
    it(`classifies ${what}`, () => {
      assert.deepEqual(classify(text, options), expected);
    });
  }
}
