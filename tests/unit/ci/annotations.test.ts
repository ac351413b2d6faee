import assert from "node:assert/strict";
import { githubAnnotations } from "../../../provider/src/ci/annotations";
import { list, reportOf, reportOn } from "../report/recorded";

describe("annotations", () => {
  it("escape messages and places as GitHub decodes them", () => {
    const report = reportOn({ diagnostics: [{ message: "50%\n::error::x", severity: "error" }] });
    assert.equal(githubAnnotations(report, ""), "::error title=pulumi preview::50%25%0A::error::x");
    const [first] = reportOf("refused-by-one").refusals;
    const placed = {
      ...reportOf("refused-by-one"),
      refusals: first ? [{ ...first, position: { file: "a,b:c.ts", line: 2 } }] : [],
    };
    assert.match(
      githubAnnotations(placed, "infra"),
      /^::error file=infra\/a%2Cb%3Ac\.ts,line=2,title=PrivateIpMode orders::private IP mode of project \w+ cannot be disabled: 1 of its 4 clusters does not run version 7\.0 or later:%0A {2}billing {2}5\.0\.1%0AUpgrade it/,
    );
  });

  it("have an error for a failure without a message, and none for changes", () => {
    const report = reportOf("no-change", { exitCode: 255 });
    assert.match(
      githubAnnotations(report, ""),
      /^::error title=pulumi preview::Failed: pulumi exited with code 255, /,
    );
    assert.equal(githubAnnotations(reportOf("disable-allowed"), ""), "");
  });

  it("are at most ten", () => {
    const diagnostics = list(14, (at) => ({ message: `error ${at}`, severity: "error" }));
    const lines = githubAnnotations(reportOn({ diagnostics }), "").split("\n");
    assert.equal(lines.length, 10);
    assert.match(lines.at(-1) ?? "", /::and 5 more errors; see the report$/);
  });
});
