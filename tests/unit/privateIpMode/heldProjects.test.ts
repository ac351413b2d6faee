import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { heldProjects } from "../../../provider/src/privateIpMode/heldProjects";
import { temporaryFolder, useCleanup } from "../../cleanup";

describe("the projects whose mode is managed by a resource", () => {
  const cleanup = useCleanup("test");

  beforeEach(() => {
    const { TMPDIR } = process.env;
    cleanup(() => {
      if (TMPDIR === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = TMPDIR;
    });
    process.env["TMPDIR"] = temporaryFolder(cleanup);
  });

  const projectsOf = (program: string, run = "127.0.0.1:1") =>
    heldProjects({ run, program, service: "https://api.example.com" });
  const notes = () => {
    const [folder = ""] = readdirSync(tmpdir());
    return join(tmpdir(), folder);
  };

  it("are free if nothing holds them", () => {
    assert.deepEqual(projectsOf("first").findHolder("p"), { kind: "free" });
  });

  it("are unknown if the note of another program cannot be read", () => {
    projectsOf("second").hold("p");
    for (const name of readdirSync(notes())) {
      rmSync(join(notes(), name));
      mkdirSync(join(notes(), name));
    }
    assert.deepEqual(projectsOf("first").findHolder("p"), { kind: "unknown" });
  });

  it("are unknown if the note of the run cannot be read", () => {
    projectsOf("first").declare("p");
    for (const name of readdirSync(notes())) {
      rmSync(join(notes(), name));
      symlinkSync(name, join(notes(), name));
    }
    assert.deepEqual(projectsOf("first").findHolder("p"), { kind: "unknown" });
  });

  it("are unknown if the folder is removed", () => {
    const projects = projectsOf("first");
    rmSync(notes(), { recursive: true });
    assert.deepEqual(projects.findHolder("p"), { kind: "unknown" });
  });

  it("are found although another note in the folder cannot be read", () => {
    projectsOf("second").hold("p");
    symlinkSync("loop", join(notes(), "loop"));
    assert.equal(projectsOf("first").findHolder("p").kind, "held");
  });
});
