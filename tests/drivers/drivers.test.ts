/**
 * The rules of connection strings beside the drivers that they speak of. `DRIVER_STRINGS` sets the number of random
 * strings, and `FUZZ_SEED` repeats them.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { z } from "zod";
import { type Finding, diagnose } from "../../connection-strings/src";
import { drivers } from "../../connection-strings/src/rules/drivers";
import { processFolder, useCleanup } from "../support/cleanup";
import { Missing, skipIfMissing } from "../support/missing";
import { type DriverName, type Verdict, disagreement, driverNames } from "./disagreements";
import { askDriver, pythonWithDriver } from "./judges";
import { connectionStrings } from "./strings";

const count = Number(process.env["DRIVER_STRINGS"] ?? "2000");
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 100_000);
describe("the rules of connection strings, beside drivers", function () {
  this.timeout(120_000 + count * 100);
  const cleanup = useCleanup("file");
  const strings = fc.sample(connectionStrings, { numRuns: count, seed });
  const verdicts = new Map<DriverName, readonly Verdict[]>();

  before("ask the drivers", async () => {
    for (const name of driverNames) {
      try {
        const { version, verdicts: all } = await askDriver(cleanup, name, strings);
        assert.equal(version, drivers[name].version, `rules/drivers.ts names another ${name}`);
        verdicts.set(name, all);
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        console.log(`    Without ${drivers[name].name}: ${error.message}.`);
      }
    }
  });

  it(`agree with them about ${count} strings (FUZZ_SEED=${seed})`, () => {
    const wrong = strings.flatMap((string, at) => {
      const all: { [name in DriverName]?: Verdict } = {};
      for (const [name, list] of verdicts) all[name] = list[at] ?? {};
      return disagreement(string, all) ?? [];
    });
    assert.deepEqual(wrong.slice(0, 20), []);
  });

  it("agree with the tests of the specification", function () {
    let tests: readonly SpecificationTest[];
    try {
      tests = specificationTests();
    } catch (error) {
      skipIfMissing(this, error);
      return;
    }
    const judged = tests.filter(({ valid }) => valid !== undefined);
    const wrong = judged.flatMap(({ uri, valid, warning }) => {
      const findings = diagnose(uri);
      const isSevere = findings.some(({ degree }) => degree !== "warning");
      const expected = valid ? (warning ? "any" : "accepted") : "severe";
      const isRight = expected === "any" || isSevere === (expected === "severe");
      return isRight || isExcepted(uri, findings) ? [] : { uri, expected, findings };
    });
    assert.ok(judged.length > 250, `${judged.length}`);
    assert.deepEqual(wrong, []);
  });
});

const testSchema = z.object({
  uri: z.string(),
  /** Undefined if the test is about something else. */
  valid: z.boolean().optional(),
  warning: z.nullish(z.boolean()),
});
type SpecificationTest = z.infer<typeof testSchema>;

/**
 * Reads the tests of the specification, which the sources of PyMongo contain. Throws Missing if they cannot be
 * downloaded.
 */
function specificationTests(): SpecificationTest[] {
  const python = join(pythonWithDriver(), "bin", "python");
  const folder = join(processFolder, "specification");
  mkdirSync(folder, { recursive: true });
  const download = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"];
  const wanted = `pymongo==${drivers.pymongo.version}`;
  try {
    execFileSync(python, [...download, "--no-binary", "pymongo", "--dest", folder, wanted]);
  } catch (error) {
    throw new Missing(`the sources of PyMongo cannot be downloaded: ${String(error)}`);
  }
  execFileSync("tar", ["xzf", `pymongo-${drivers.pymongo.version}.tar.gz`], { cwd: folder });
  const tests = join(folder, `pymongo-${drivers.pymongo.version}`, "test");
  const folders = [
    "uri_options",
    "connection_string/test",
    "auth/legacy",
    "read_write_concern/connection-string",
  ];
  return folders.flatMap((name) =>
    readdirSync(join(tests, name))
      .filter((file) => file.endsWith(".json"))
      .flatMap((file) => {
        const content: unknown = JSON.parse(readFileSync(join(tests, name, file), "utf8"));
        return z.object({ tests: z.array(testSchema) }).parse(content).tests;
      }),
  );
}

/** Returns whether the specification judges a string otherwise for a reason that decisions name. */
function isExcepted(uri: string, findings: readonly Finding[]): boolean {
  return (
    // Code can add the user, the password or a callback.
    findings.some(({ advice }) => advice.includes(" in code.")) ||
    // Its tests contain this both as valid and as invalid.
    /MONGODB-AWS|wtimeoutMS=-500/.test(uri) ||
    // `parse` accepts no sockets and no other alphabets as hosts, and no @ in an option, which may end a password.
    /%2F|[^ -~]|\?.*@/.test(uri)
  );
}
