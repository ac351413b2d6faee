/**
 * The reports of previews with the real CLI. With `RECORD=1`, writes the previews and their reports to
 * tests/unit/report/recordings, where tests of reports read them; `--grep drift` selects one. With `PICTURES=1`, takes
 * the pictures of the documentation.
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { markdown } from "../../provider/src/report/write/markdown";
import { processFolder, scratchFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";
import { quickstartSeed, settingsFor, useService } from "../support/service";
import { useStatusPage } from "../unit/simulator/browser";
import { type Recording, folder as recordings, reportOfRecording } from "../unit/report/recorded";
import { deviceScaleFactor, picturesOf, savePicture, takePictures } from "./pictures";
import { policyPack } from "./policyPack";
import { type Scenario, scenarios, withStaging } from "./recordedPreviews";
import { pluginSettings } from "./useStack";

const root = join(__dirname, "../..");
const example = join(root, "examples/pr-check");
const isRecording = process.env["RECORD"] === "1";
const isTakingPictures = process.env["PICTURES"] === "1";

describe("the report of a preview with the real CLI", () => {
  const cleanup = useCleanup("test");
  const service = useService(withStaging(quickstartSeed()), { scheme: "mongodb" });
  const open = isTakingPictures ? useStatusPage(service) : undefined;

  for (const [name, scenario] of Object.entries(scenarios)) {
    // All of them take minutes.
    const hasPictures = isTakingPictures && picturesOf[name] !== undefined;
    if (!isRecording && !hasPictures && name !== "string-changed") continue;
    it(`is as recorded: ${name}`, async () => {
      const { recording, diff } = await record(scenario);
      const report = reportOfRecording(recording);
      if (isRecording) {
        writeFileSync(join(recordings, `${name}.json`), `${JSON.stringify(recording)}\n`);
        writeFileSync(join(recordings, `${name}.md`), markdown(report));
      }
      assert.equal(markdown(report), readFileSync(join(recordings, `${name}.md`), "utf8"));
      if (open) await takePictures(await open({ deviceScaleFactor }), name, diff, report);
    });
  }

  async function record(scenario: Scenario) {
    const { before, failing, program, change, settings, usesPlugin = false } = scenario;
    const cwd = scratchFolder(cleanup);
    const backend = join(cwd, "backend");
    mkdirSync(backend);
    for (const file of ["package.json", "tsconfig.json"]) {
      copyFileSync(join(example, file), join(cwd, file));
    }
    const plugin = usesPlugin ? pluginSettings() : "";
    writeFileSync(join(cwd, "Pulumi.yaml"), `name: infra\nruntime: nodejs\n${plugin}`);
    const env = {
      ...process.env,
      ...settingsFor(service),
      TMPDIR: cwd,
      PULUMI_BACKEND_URL: `file://${backend}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_SKIP_UPDATE_CHECK: "1",
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
      PULUMI_STACK: "production",
      // Makes `pulumi preview --json` print its events.
      PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
    };
    const pulumi = (args: readonly string[], more = {}) =>
      startCommand(cleanup, "pulumi", [...args, "--non-interactive"], {
        cwd,
        env: { ...env, ...more },
      }).result;
    const write = (text: string) => {
      writeFileSync(join(cwd, "index.ts"), text);
    };
    await pulumi(["stack", "init", "production", "--no-select"]);
    if (before !== undefined) {
      write(before);
      const { code, stdout, stderr } = await pulumi(["up", "--yes", "--skip-preview"]);
      assert.equal(code, 0, stdout + stderr);
    }
    if (failing !== undefined) {
      write(failing);
      const { code } = await pulumi(["up", "--yes", "--skip-preview"]);
      assert.notEqual(code, 0);
    }
    write(program);
    change?.(service.project());
    const state = await pulumi(["stack", "export"]);

    const { command = ["preview"], args = [], policies } = scenario;
    const pack = policies === undefined ? [] : ["--policy-pack", policyPack(cwd, policies)];
    const { code, stdout, stderr } = await pulumi(
      [...command, "--json", ...args, ...pack],
      settings,
    );
    const recording = {
      exitCode: code ?? 1,
      log: stderr.trim(),
      events: eventsIn(stdout),
      state: JSON.parse(state.stdout) as unknown,
    };
    const preview = "pulumi preview --diff --color always --non-interactive 2>&1";
    const shown = open && (await startCommand(cleanup, "sh", ["-c", preview], { cwd, env }).result);
    return { recording: withoutMachine(recording, cwd), diff: shown?.stdout ?? "" };
  }
});

if (isTakingPictures) {
  describe("the simulator's page", () => {
    const seed = quickstartSeed();
    const versions: Record<string, string> = { billing: "5.0.1", sessions: "6.0.5" };
    for (const cluster of seed.projects?.[0]?.clusters ?? []) {
      cluster.version = versions[cluster.name] ?? cluster.version;
    }
    const caFile = join(processFolder, "ca.pem");
    const service = useService(seed, { control: true, caFile, profile: "atlas" });
    const open = useStatusPage(service);

    it("is in a picture, with the address and the file of npm run simulator", async () => {
      const page = await open({ deviceScaleFactor, viewport: { width: 1100, height: 640 } });
      await page.route("**/page.json", async (route) => {
        const response = await route.fetch();
        const text = await response.text();
        const body = text
          .replaceAll(service.url, "https://127.0.0.1:8443")
          .replaceAll(caFile, "/home/ada/pulumi-clouddb/.clouddb/demo/ca.pem");
        await route.fulfill({ response, body });
      });
      await page.reload();
      await page.getByText("Connected", { exact: true }).waitFor();
      await savePicture(page, "simulator-page");
    });
  });
}

/** Reads the events of a preview. Debug messages contain the values of secrets. */
function eventsIn(text: string): unknown[] {
  return text
    .trim()
    .split("\n")
    .map(
      (line) =>
        JSON.parse(line) as {
          diagnosticEvent?: { severity: string };
        } & Record<string, unknown>,
    )
    .filter(
      (event) =>
        event.diagnosticEvent?.severity !== "debug" &&
        Object.keys(event).every(
          (name) => !/^(?:prelude|cancel|policy\w*(?:Summary|Load))Event$/.test(name),
        ),
    );
}

/** The fields that differ between machines, or that nothing reads. */
const dropped = [
  "created",
  "modified",
  "manifest",
  "timestamp",
  "duration",
  "durationSeconds",
  "salt",
  "id",
  "custom",
  "type",
  "parent",
  "detailedDiff",
  "keys",
  "logical",
  "planning",
  "isPreview",
  "PolicyPacks",
];

/** Removes the differences between machines, and makes the packages look installed. */
function withoutMachine(recording: Recording, cwd: string): Recording {
  const text = JSON.stringify(recording, (key, value: unknown) => {
    if (dropped.includes(key)) return undefined;
    if (key === "provider" && String(value).includes("::default::")) return undefined;
    if (key === "__provider" && typeof value === "string" && value.length > 100) {
      return value.slice(0, 20);
    }
    return key === "stackTrace" && Array.isArray(value) ? value.slice(0, 2) : value;
  })
    .replaceAll(cwd, "/infra")
    .replaceAll(root, "/infra")
    .replace(/project:\/\/\/(\.\.\/)+node_modules/g, "project:///node_modules")
    .replace(/project:\/\/\/(\.\.\/)+provider/g, "project:///node_modules/pulumi-clouddb");
  return JSON.parse(text) as Recording;
}
