import assert from "node:assert/strict";
import { readPulumiOptions } from "../../../provider/src/commands/pulumiOptions";

type Variables = Readonly<Record<string, string>>;

describe("the options of pulumi preview", () => {
  for (const [args, variables, isTargeted] of [
    [[], {}, false],
    [["--target", "urn"], {}, true],
    [["--target=urn"], {}, true],
    [["-t", "urn"], {}, true],
    [["-turn"], {}, true],
    [["-rt", "urn"], {}, true],
    [["--target-replace", "urn"], {}, true],
    [["--exclude", "urn"], {}, true],
    [["-x", "urn"], {}, true],
    [["--replace", "urn"], {}, false],
    [["--target-dependents"], {}, false],
    [["--refresh", "-p", "4"], {}, false],
    [[], { PULUMI_OPTION_TARGET: "urn" }, true],
    [[], { PULUMI_OPTION_TARGET: "urn:1,urn:2" }, true],
    [[], { PULUMI_OPTION_TARGET: "" }, false],
    [[], { PULUMI_OPTION_TARGET_REPLACE: "urn" }, true],
    [[], { PULUMI_OPTION_EXCLUDE: "**Other**" }, true],
    [[], { PULUMI_OPTION_REPLACE: "urn", PULUMI_OPTION_TARGET_DEPENDENTS: "true" }, false],
  ] as readonly (readonly [string[], Variables, boolean])[]) {
    it(`${isTargeted ? "limit" : "do not limit"} it: ${shown(args, variables)}`, () => {
      assert.equal(readPulumiOptions(args, variables).isTargeted, isTargeted);
    });
  }

  for (const [args, variables, runsProgram] of [
    [[], {}, false],
    [["--run-program"], {}, true],
    [["--run-program=false"], {}, false],
    [["--run-program=false", "--run-program=T"], {}, true],
    [["--run-program"], { PULUMI_OPTION_RUN_PROGRAM: "false" }, true],
    [["--run-program=0"], { PULUMI_OPTION_RUN_PROGRAM: "true", PULUMI_RUN_PROGRAM: "1" }, false],
    ...["1", "t", "T", "true", "True", "TRUE"].map(
      (value) => [[], { PULUMI_OPTION_RUN_PROGRAM: value }, true] as const,
    ),
    ...["", "0", "false", "yes"].map(
      (value) => [[], { PULUMI_OPTION_RUN_PROGRAM: value }, false] as const,
    ),
    [[], { PULUMI_RUN_PROGRAM: "true" }, true],
    [[], { PULUMI_OPTION_RUN_PROGRAM: "", PULUMI_RUN_PROGRAM: "true" }, true],
    [[], { PULUMI_OPTION_RUN_PROGRAM: "false", PULUMI_RUN_PROGRAM: "true" }, false],
  ] as readonly (readonly [string[], Variables, boolean])[]) {
    it(`${runsProgram ? "run" : "do not run"} the program: ${shown(args, variables)}`, () => {
      assert.equal(readPulumiOptions(args, variables).runsProgram, runsProgram);
    });
  }

  for (const [args, variables, expectsNoChanges] of [
    [["--expect-no-changes"], {}, true],
    [["--expect-no-changes=false"], { PULUMI_OPTION_EXPECT_NO_CHANGES: "true" }, false],
    [[], { PULUMI_OPTION_EXPECT_NO_CHANGES: "1" }, true],
    [[], { PULUMI_OPTION_EXPECT_NO_CHANGES: "" }, false],
  ] as readonly (readonly [string[], Variables, boolean])[]) {
    it(`${expectsNoChanges ? "expect no changes" : "allow changes"}: ${shown(args, variables)}`, () => {
      assert.equal(readPulumiOptions(args, variables).expectsNoChanges, expectsNoChanges);
    });
  }

  for (const [args, variables, refused] of [
    [["--stack=b"], {}, "--stack"],
    [["--refresh", "--cwd", "/b"], {}, "--cwd"],
    [["-sb"], {}, "--stack"],
    [["-C", "/b"], {}, "--cwd"],
    [["-dj"], {}, "--json"],
    [["--json=false"], {}, "--json"],
    // The value of a flag is not a flag.
    [["-mjson", "--message=-C", "--config", "app:s=C"], {}, undefined],
    [[], { PULUMI_OPTION_CWD: "/b" }, "PULUMI_OPTION_CWD"],
    [[], { PULUMI_OPTION_CWD: "" }, undefined],
    [[], { PULUMI_OPTION_STACK: "b", PULUMI_OPTION_JSON: "false" }, undefined],
  ] as readonly (readonly [string[], Variables, string | undefined])[]) {
    it(`${refused === undefined ? "are allowed" : "are refused"}: ${shown(args, variables)}`, () => {
      const [named] = readPulumiOptions(args, variables).refusal?.split(" ") ?? [];
      assert.equal(named, refused);
    });
  }
});

function shown(args: readonly string[], variables: Variables): string {
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return [...assignments, ...args].join(" ") || "none";
}
