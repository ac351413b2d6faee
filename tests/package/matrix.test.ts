/**
 * Runs the main rows of the compatibility matrix (docs/upgrading.md), which are programs that install the packed
 * packages, on the real engine. With `MATRIX=all`, runs all rows. pulumi-clouddb imports single modules of the SDK
 * (docs/internals/decisions.md#0011-only-parts-of-the-sdk), and the SDK contains the code of the provider process.
 */
import { allRows, mainRows, nameOf } from "../../quality/matrix/rows";
import { runRow } from "../../quality/matrix/run";
import { type Toolchain, prepareToolchain } from "../../quality/matrix/toolchain";
import { temporaryFolder, useCleanup } from "../support/cleanup";

const rows = process.env["MATRIX"] === "all" ? allRows : mainRows;

describe("the compatibility matrix", function () {
  this.timeout(600_000);
  const cleanup = useCleanup("test");
  const fileCleanup = useCleanup("file");
  let toolchain: Toolchain;

  before("pack the packages", () => {
    toolchain = prepareToolchain(rows, temporaryFolder(fileCleanup));
  });

  for (const row of rows) {
    it(`deploys, and shows drift in a preview, with ${nameOf(row)}`, async () => {
      await runRow(row, toolchain, cleanup);
    });
  }
});
