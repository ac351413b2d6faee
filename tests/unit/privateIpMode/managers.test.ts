import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Managers } from "../../../provider/src/privateIpMode/managers";
import { temporaryFolder, useCleanup } from "../../cleanup";

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

  const dev = "shop/dev";
  const prod = "shop/prod";
  const service = "https://api.example.com";
  /** Represents one process. */
  const managersIn = (run = "127.0.0.1:1") => new Managers({ run, service });
  const folder = () => join(tmpdir(), readdirSync(tmpdir())[0] ?? "");
  const markers = () => readdirSync(folder()).map((name) => join(folder(), name));
  const kindFor = (stack: string | undefined, managers = managersIn()) =>
    managers.findOther("p", stack).kind;

  it("are none if no process recorded one", () => {
    managersIn("127.0.0.1:2").declare("p");
    managersIn().declare("another project");
    assert.equal(kindFor(dev), "none");
  });

  it("are none for the stack that recorded the project itself", () => {
    managersIn().record("p", dev);
    assert.equal(kindFor(dev), "none");
  });

  it("include a resource that the same process declared, or another one of the run", () => {
    const managers = managersIn();
    managers.declare("p");
    assert.equal(kindFor(dev, managers), "found");
    assert.equal(kindFor(dev), "found");
  });

  it("include another stack of the same Pulumi project, until it releases the project", () => {
    managersIn().record("p", prod);
    assert.deepEqual(managersIn().findOther("p", dev), {
      kind: "found",
      who: "the stack shop/prod managed it within the last day",
    });
    managersIn().release("p", prod);
    assert.equal(kindFor(dev), "none");
  });

  it("include a stack whose other resource in this run manages the project after a release", () => {
    managersIn().record("p", prod);
    managersIn("127.0.0.1:2").declare("p");
    managersIn("127.0.0.1:2").release("p", prod);
    assert.equal(kindFor(dev), "found");
  });

  it("include every stack if the stack of this process is unknown", () => {
    managersIn().record("p", dev);
    const other = managersIn().findOther("p", undefined);
    assert.match(
      other.kind === "found" ? other.who : "",
      /stack shop\/dev .* does not say whether/,
    );
  });

  it("do not include a stack that recorded the project more than a day ago", () => {
    managersIn().record("p", prod);
    const yesterday = Date.now() / 1000 - 25 * 3600;
    for (const marker of markers()) utimesSync(marker, yesterday, yesterday);
    assert.equal(kindFor(dev), "none");
  });

  const damages: [what: string, damage: (marker: string) => unknown][] = [
    [
      "does not name its stack",
      (marker) => {
        writeFileSync(marker, "");
      },
    ],
    [
      "is a folder",
      (marker) => {
        mkdirSync(marker);
      },
    ],
    [
      "is a link to itself",
      (marker) => {
        symlinkSync(marker, marker);
      },
    ],
  ];
  for (const [what, damage] of damages) {
    it(`are unknown if the marker of another stack ${what}`, () => {
      managersIn().record("p", prod);
      for (const marker of markers()) {
        rmSync(marker);
        damage(marker);
      }
      assert.equal(kindFor(dev), "unknown");
    });
  }

  it("are found although the marker of another project cannot be read", () => {
    managersIn().record("p", prod);
    symlinkSync("loop", join(folder(), "loop"));
    assert.equal(kindFor(dev), "found");
  });

  it("are unknown after a marker could not be written, in the same process", () => {
    managersIn().declare("q");
    for (const marker of markers()) {
      rmSync(marker);
      mkdirSync(marker);
    }
    const managers = managersIn();
    managers.declare("q");
    assert.equal(kindFor(dev, managers), "unknown");
  });

  it("are unknown if the folder was removed", () => {
    const managers = managersIn();
    rmSync(folder(), { recursive: true });
    assert.equal(kindFor(dev, managers), "unknown");
  });

  it("are unknown if other users may write to the folder", () => {
    managersIn();
    chmodSync(folder(), 0o777);
    assert.equal(kindFor(dev), "unknown");
  });

  it("are unknown if the temporary folder does not exist, and is not created", () => {
    process.env["TMPDIR"] = join(tmpdir(), "missing");
    assert.equal(kindFor(dev), "unknown");
    assert.ok(!existsSync(tmpdir()));
  });
});
