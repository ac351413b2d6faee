/**
 * Runs the main rows of the compatibility matrix (docs/internals/compatibility.md), which are programs that install
 * the packed packages, on the real engine. `npm run quality -- matrix` runs all rows. pulumi-clouddb imports single
 * modules of the SDK (docs/internals/decisions/0011-only-parts-of-the-sdk.md), and the SDK contains the code of the
 * provider process.
 */
import assert from "node:assert/strict";
import { mainRows, nameOf } from "../../quality/matrix/rows";
import { type RowResult, allSteps, mainSteps, runRows } from "../../quality/matrix/run";
import { type Toolchain, prepareToolchain } from "../../quality/matrix/toolchain";
import { temporaryFolder, useCleanup } from "../support/cleanup";

const steps = process.env["TEST_SAMPLE"] === "1" ? mainSteps : allSteps;

describe("the compatibility matrix", function () {
  this.timeout(600_000);
  const cleanup = useCleanup("file");
  let toolchain: Toolchain;

  before("pack the packages", () => {
    toolchain = prepareToolchain(mainRows, temporaryFolder(cleanup));
  });

  for (const row of mainRows) {
    it(`deploys, and shows drift in a preview, with ${nameOf(row)}`, async () => {
      const results: RowResult[] = [];
      const onResult = (result: RowResult) => void results.push(result);
      await runRows([row], { toolchain, steps, jobs: 1, onResult });
      assert.equal(results.length, 1);
      for (const { failure } of results) {
        assert.equal(failure, undefined, `failed at ${failure?.step}: ${failure?.output}`);
      }
    });
  }
});
