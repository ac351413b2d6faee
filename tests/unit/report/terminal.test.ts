import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createReport } from "../../../provider/src/report/report";

const recordingSchema = z.object({
  exitCode: z.number(),
  log: z.string(),
  json: z.unknown(),
  events: z.array(z.unknown()),
  state: z.unknown(),
});

function textOf(name: string): string[] {
  const file = join(__dirname, "recordings", `${name}.json`);
  const { events, json, state, ...rest } = recordingSchema.parse(
    JSON.parse(readFileSync(file, "utf8")),
  );
  const files = [events.map((each) => JSON.stringify(each)).join("\n")]
    .concat([json, state].map((each) => JSON.stringify(each)))
    .map((text) => ({ name, text }));
  const report = createReport({ files, ...rest, folder: __dirname, folderInRepository: "" });
  return report.as("text").split("\n");
}

describe("a report for a terminal", () => {
  it("shows the message of a refusal, and the resources that were not previewed", () => {
    assert.deepEqual(textOf("refused-by-one").slice(2), [
      "",
      "error: PrivateIpMode orders",
      "  private IP mode of project 64a0c0ffee0000000000a001 cannot be disabled: 1 of its 4 clusters does not run version 7.0.0 or later:",
      "    billing  5.0.1",
      "  Upgrade it to 7.0 or later, or keep the mode with enabled: true. [clouddb-refused]",
      "",
      "The preview stopped here. Changes of 1 resource, and new ones, are not shown.",
    ]);
  });

  it("shows the changes, the affected resources and the stack outputs", () => {
    assert.deepEqual(textOf("string-changed-by-service").slice(2), [
      "",
      "update ClusterConnectionStrings orders: standardSrv orders.cmrd8.clusters.example → standardSrv orders-eu.cmrd8.clusters.example",
      "  reaches Secret orders-db, Deployment api, output ordersUrl",
      "",
      "output ordersUrl: standard orders.cmrd8.clusters.example → standard orders-eu.cmrd8.clusters.example",
      "",
      "update 1 × dynamic resources",
    ]);
  });
});
