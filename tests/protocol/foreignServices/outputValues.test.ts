import assert from "node:assert/strict";
import { useForeignService } from "../useProvider";
import { projectId, respondWith } from "./clusterService";

describe("values that the engine interprets", () => {
  const start = useForeignService();
  const signature = "4dabf18193072939515e22adb298388d";
  const asset = { [signature]: "c44067f5c5f8e5ae3b8bdd3b1a5f3d1a", path: "/etc/hostname" };
  const marker = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const outputsOf = async (more: Record<string, unknown>) => {
    const standardSrv = "db+srv://odd.ab1cd.db.example";
    const record = { name: "odd", connectionStrings: { standardSrv, ...more } };
    const { check } = await start("clusterConnectionStrings", respondWith({ clusters: [record] }));
    return await check({ projectId, clusterName: "odd" });
  };

  it("are removed from the outputs, which keep plain values", async () => {
    let deep: unknown = "x";
    for (let depth = 0; depth < 20; depth += 1) deep = [deep];
    const { inputs, failures } = await outputsOf({
      plain: { text: "a", list: [1, true, { b: "c" }] },
      asset,
      nested: { inner: [asset, "kept"] },
      unknownText: marker,
      surrogate: "\ud800",
      long: "x".repeat(20_000),
      deep: { deep },
      __defaults: ["standardSrv"],
      [signature]: "1b47061264138c4ac30d75fd1eb44270",
    });
    assert.deepEqual(failures, []);
    const others = inputs["others"];
    assert.ok(typeof others === "object" && others !== null && "deep" in others);
    const { deep: bounded, ...rest } = others;
    assert.deepEqual(rest, {
      plain: { text: "a", list: [1, true, { b: "c" }] },
      nested: { inner: ["kept"] },
    });
    assert.ok(JSON.stringify(bounded).length < 40);
  });

  for (const [what, standardSrv] of [
    ["the marker of an unknown value", marker],
    ["half of a surrogate pair", "db+srv://\ud800"],
    ["a megabyte", `db+srv://${"x".repeat(2 ** 20)}`],
  ] as const) {
    it(`fail a lookup if a connection string is ${what}`, async () => {
      const { failures } = await outputsOf({ standardSrv });
      assert.match(failures[0]?.reason ?? "", /malformed: connectionStrings\.standardSrv: /);
      assert.ok((failures[0]?.reason ?? "").length < 500);
    });
  }
});
