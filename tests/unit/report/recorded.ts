/** Reads the previews in recordings/, and builds others by hand. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type PreviewInput, readEventLog, readInput } from "../../../provider/src/report/input";
import { type Context, interpret } from "../../../provider/src/report/meaning";

export const folder = join(__dirname, "recordings");
const recordingSchema = z.object({
  exitCode: z.number(),
  log: z.string(),
  json: z.unknown().optional(),
  events: z.array(z.unknown()).optional(),
  state: z.unknown().optional(),
});

export const names = readdirSync(folder).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? []);

export const read = (name: string) =>
  recordingSchema.parse(JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")));

export const json = (name: string) => readInput(JSON.stringify(read(name).json), "the preview");
export const exported = (name: string) => readInput(JSON.stringify(read(name).state), "the export");
export const events = (name: string) => eventLog(read(name).events);

export function eventLog(all: readonly unknown[] = []): PreviewInput {
  return readEventLog(
    all.map((each) => JSON.stringify(each)),
    "the log",
  );
}

function inputsOf(name: string): PreviewInput[] {
  const { json: preview, events: log, state } = read(name);
  return [
    ...(log === undefined ? [] : [events(name)]),
    ...(preview === undefined ? [] : [json(name)]),
    ...(state === undefined ? [] : [exported(name)]),
  ];
}

/** The recordings have the program in this folder. */
const recordedFolder = "/infra";

export function reportOf(name: string, context?: Context) {
  const { exitCode, log } = read(name);
  return interpret(inputsOf(name), { exitCode, log, folder: recordedFolder, ...context });
}

export const urnOf = (name: string, type = "clouddb:index:ClusterConnectionStrings") =>
  `urn:pulumi:dev::infra::${type}::${name}`;

/** The report of a preview that only has these parts. */
export function reportOn(parts: object, context?: Context) {
  const text = JSON.stringify({ changeSummary: {}, ...parts });
  return interpret([readInput(text, "it")], context);
}

/** A step that updates a resource. */
export const update = (name: string, inputs: object, changed: object, rest: object = {}) => ({
  ...{ op: "update", urn: urnOf(name) },
  ...{ oldState: { inputs, ...rest }, newState: { inputs: changed, ...rest } },
});

/** A step that changes the string of a lookup from peering to another network. */
export const moved = (name: string, kind = "standardSrv", host = `${name}.ab1cd.db.example`) => {
  const of = (network: string, recommendedKind: string, recommended: string) => ({
    ...{ projectId: "p", clusterName: name, network: { kind: network }, recommendedKind },
    recommended: `db+srv://${recommended}`,
  });
  const before = of("peering", "privateSrv", `${name}-pri.ab1cd.db.example`);
  return update(name, before, of("another", kind, host));
};

export const diagnostic = (message: string, severity = "error") => ({
  ...{ urn: urnOf("orders", "clouddb:index:PrivateIpMode"), message, severity },
});

export const list = <T>(length: number, item: (index: number) => T) =>
  Array.from({ length }, (_, at) => item(at));
