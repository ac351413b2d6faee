import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModeManagers } from "../../../provider/src/privateIpMode/modeManagers";
import { temporaryFolder, useCleanup } from "../../support/cleanup";

describe("the other managers of a project's mode", () => {
  const cleanup = useCleanup("test");

  beforeEach(() => {
    const { TMPDIR } = process.env;
    cleanup(() => {
      if (TMPDIR === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = TMPDIR;
    });
    process.env["TMPDIR"] = temporaryFolder(cleanup);
  });

  const service = "https://api.example.com";
  /** Represents one process. */
  const managersIn = (run = "127.0.0.1:1") => new ModeManagers({ run, service });
  const folder = () => join(tmpdir(), readdirSync(tmpdir())[0] ?? "");
  const markers = () => readdirSync(folder()).map((name) => join(folder(), name));
  const other = (managers = managersIn()) => managers.findOther("p");

  it("are none if no process of the run declared one", () => {
    managersIn("127.0.0.1:2").declare("p", "a");
    managersIn().declare("another project", "a");
    assert.equal(other(), "none");
  });

  it("include a resource that was declared by the same process or another one of the run", () => {
    const managers = managersIn();
    assert.equal(managers.declare("p", "a"), undefined);
    assert.equal(managers.declare("p", "a"), undefined);
    assert.deepEqual(other(managers), { resource: "a" });
    assert.deepEqual(other(), { resource: "a" });
    const described = { resource: "a", enabledAtAdoption: false, onDelete: "restore" };
    managers.describe("p", described);
    assert.deepEqual(other(managers), described);
    assert.deepEqual(other(), described);
  });

  it("are named when a second resource is declared, in the same process or another one", () => {
    const managers = managersIn();
    managers.declare("p", "a");
    assert.equal(managers.declare("p", "b"), "a");
    assert.equal(managersIn().declare("p", "b"), "a");
    assert.equal(managersIn().declare("p", "a"), undefined);
    assert.equal(managersIn("127.0.0.1:2").declare("p", "b"), undefined);
  });

  it("are none after the process that declared one has ended", () => {
    const managers = managersIn();
    managers.declare("p", "a");
    managers.close();
    assert.equal(other(), "none");
    assert.deepEqual(markers(), []);
  });

  it("do not include a resource that was declared more than a day ago", () => {
    managersIn().declare("p", "a");
    const yesterday = Date.now() / 1000 - 25 * 3600;
    for (const marker of markers()) utimesSync(marker, yesterday, yesterday);
    assert.equal(other(), "none");
  });

  for (const [what, damage] of [
    ["a folder", mkdirSync],
    [
      "a link to itself",
      (marker: string) => {
        symlinkSync(marker, marker);
      },
    ],
  ] as const) {
    it(`are unknown if a marker is ${what}`, () => {
      managersIn().declare("p", "a");
      for (const marker of markers()) {
        rmSync(marker);
        damage(marker);
      }
      assert.equal(other(), "unknown");
    });
  }

  it("are unknown after a marker could not be written, in the same process", () => {
    managersIn().declare("q", "a");
    for (const marker of markers()) {
      rmSync(marker);
      mkdirSync(marker);
    }
    const managers = managersIn();
    managers.declare("q", "a");
    assert.equal(other(managers), "unknown");
  });

  it("are unknown if the folder was removed", () => {
    const managers = managersIn();
    rmSync(folder(), { recursive: true });
    assert.equal(other(managers), "unknown");
  });

  it("are unknown if other users may write to the folder", () => {
    managersIn();
    chmodSync(folder(), 0o777);
    assert.equal(other(), "unknown");
  });

  it("are unknown if the temporary folder does not exist, and is not created", () => {
    process.env["TMPDIR"] = join(tmpdir(), "missing");
    assert.equal(other(), "unknown");
    assert.ok(!existsSync(tmpdir()));
  });
});
