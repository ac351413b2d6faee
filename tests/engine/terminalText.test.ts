import assert from "node:assert/strict";
import { projectId } from "../service";
import { useStack } from "./useStack";

describe("a connection string that controls the terminal", () => {
  const { service, createStack } = useStack();

  it("fails a preview of its lookup, and is escaped in the differences and the error", async () => {
    const { stack, failure } = await createStack(
      `exports.uri = new clouddb.ClusterConnectionStrings("orders",
        { projectId: "${projectId}", clusterName: "orders" }).recommended;`,
    );
    await stack.up();
    const standardSrv = "db+srv://orders.ab1cd.db.example\n\u001b[2K\u001b]0;title\u0007  forged";
    const body = { results: [{ name: "orders", connectionStrings: { standardSrv } }] };
    const list = { path: /\/clusters$/, withCredentials: true, times: Infinity };
    service.faults.push({ ...list, status: 200, body: { ...body, totalCount: 1 } });
    let output = "";
    const preview = stack.preview({
      diff: true,
      color: "never",
      onOutput: (text) => (output += text),
    });
    const message = await failure(preview);
    assert.match(
      message,
      /record of cluster orders .* is malformed: connectionStrings\.standardSrv: /,
    );
    // eslint-disable-next-line no-control-regex -- these are the characters that must not be printed
    assert.doesNotMatch(output + message, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|forged/);
  });
});
