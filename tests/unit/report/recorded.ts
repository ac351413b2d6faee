/** Reads the previews in recordings/, and builds others by hand. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Preview, readEventLog } from "../../../provider/src/report/read/eventLog";
import { type ReportInput, buildReport } from "../../../provider/src/report/decide/buildReport";
import { markdown } from "../../../provider/src/report/write/markdown";
import { readStackExport } from "../../../provider/src/report/read/stackExport";

export const folder = join(__dirname, "recordings");
const recordingSchema = z.object({
  exitCode: z.number(),
  log: z.string(),
  events: z.array(z.unknown()),
  state: z.unknown(),
});
export type Recording = z.infer<typeof recordingSchema>;

export const names = readdirSync(folder).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? []);

export const read = (name: string) =>
  recordingSchema.parse(JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")));

export function eventLog(events: readonly unknown[]): Preview {
  return readEventLog(events.map((event) => JSON.stringify(event)).join("\n"), "the log");
}

/** A recorded preview, with replacements in the text of its events. */
export function recorded(name: string, ...replacements: [from: string | RegExp, to: string][]) {
  const text = replacements.reduce(
    (all, [from, to]) => all.replaceAll(from, to),
    JSON.stringify(read(name).events),
  );
  return eventLog(z.array(z.unknown()).parse(JSON.parse(text)));
}

/** The recordings have the program in this folder. */
const recordedFolder = "/infra";

export const reportOf = (name: string, context?: Partial<ReportInput>) =>
  reportOfRecording(read(name), context);

export function reportOfRecording(
  { exitCode, log, events, state }: Recording,
  context?: Partial<ReportInput>,
) {
  return buildReport({
    preview: eventLog(events),
    state: readStackExport(JSON.stringify(state), "the export"),
    exitCode,
    log,
    folder: recordedFolder,
    ...context,
  });
}

export const urnOf = (name: string, type = "clouddb:index:ClusterConnectionStrings") =>
  `urn:pulumi:dev::infra::${type}::${name}`;

interface Parts {
  readonly steps?: readonly object[];
  readonly diagnostics?: readonly object[];
}

/** The events of a preview with only these parts. */
export function eventsOf({ steps = [], diagnostics = [] }: Parts) {
  const events = [
    ...steps.map((metadata) => ({
      resourcePreEvent: { metadata: { old: null, new: null, ...metadata } },
    })),
    ...diagnostics.map((diagnosticEvent) => ({ diagnosticEvent })),
    { summaryEvent: { result: "succeeded" } },
  ];
  return events.map((event, at) => ({ sequence: at + 1, ...event }));
}

/** The report of a preview that only has these parts. */
export function reportOn(parts: Parts, context?: Partial<ReportInput>) {
  return buildReport({ preview: eventLog(eventsOf(parts)), ...context });
}

/** The Markdown of a preview with only these steps. */
export const shownText = (steps: readonly object[], context?: Partial<ReportInput>) =>
  markdown(reportOn({ steps }, context));

/** A state with these resources. */
export const stateOf = (...resources: readonly object[]) =>
  readStackExport(JSON.stringify({ deployment: { resources } }), "the export");

/** A secret, as events and stack exports write it. */
export const secret = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext: "[secret]",
};

/** What events have for a value that is not known yet. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The inputs of a lookup. */
export const lookup = (rest: object) => ({ projectId: "p", clusterName: "a", ...rest });

/** A step that updates a resource. */
export const update = (name: string, inputs: object, changed: object) => ({
  op: "update",
  urn: urnOf(name),
  old: { inputs },
  new: { inputs: changed },
});

/** A step that changes the string of a lookup from peering to another network. */
export const moved = (name: string, kind = "standardSrv", host = `${name}.ab1cd.db.example`) => {
  const of = (network: string, recommendedKind: string, recommended: string) => ({
    projectId: "p",
    clusterName: name,
    network: { kind: network },
    recommendedKind,
    recommended: `db+srv://${recommended}`,
  });
  const before = of("peering", "privateSrv", `${name}-pri.ab1cd.db.example`);
  return update(name, before, of("another", kind, host));
};

export const diagnostic = (message: string, severity = "error", name = "orders") => ({
  urn: urnOf(name, "clouddb:index:PrivateIpMode"),
  message,
  severity,
});

export const list = <T>(length: number, item: (index: number) => T) =>
  Array.from({ length }, (_, at) => item(at));
