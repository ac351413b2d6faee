/** Tests the program that docs/internals/comparison.md compares, and that the benchmarks measure. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { programs } from "../../quality/bench/programs";
import { accountSettings, projectId } from "../support/service";
import { useStack } from "./useStack";

const program = (enabled: boolean) => `const { Lookup, Mode } = require("./byHand");
new Mode("mode", { projectId: "${projectId}", enabled: ${enabled} });
const orders = new Lookup("orders", { projectId: "${projectId}", clusterName: "orders", network: "peering" });
exports.recommended = orders.recommended;`;

describe("the program by hand", () => {
  const { service, createStack } = useStack();

  it("records a string, shows a changed one as an update, and refuses to turn the mode off in a preview", async () => {
    const settings = accountSettings(service);
    const environment = { ...settings, NODE_EXTRA_CA_CERTS: settings["CLOUDDB_CA_FILE"] ?? "" };
    const tested = await createStack(program(true), { environment });
    for (const [file, text] of Object.entries(programs.byHand.files?.() ?? {})) {
      writeFileSync(join(tested.folder, file), text);
    }
    const { stack } = tested;
    const { outputs } = await stack.up();
    assert.match(String(outputs["recommended"]?.value), /^db\+srv:\/\/orders-pri\./);
    assert.deepEqual((await stack.preview()).changeSummary, { same: 3 });

    service.project().updateCluster("orders", { hostName: "renamed" });
    const { changeSummary, stdout } = await stack.preview({ diff: true });
    assert.deepEqual(changeSummary, { same: 2, update: 1 });
    assert.doesNotMatch(stdout, /renamed/);

    service.project().updateCluster("billing", { version: "6.0.5" });
    tested.program(program(false));
    const refused = await tested.failure(stack.preview());
    assert.match(refused, /these clusters run a version below 7\.0: billing 6\.0\.5/);
  });
});
