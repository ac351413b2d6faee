import assert from "node:assert/strict";
import { recordedLookups, recordedSeed } from "../../support/recordedStates";
import { useProvider } from "../useProvider";

describe("ClusterConnectionStrings with the state of a released version", () => {
  const { provider } = useProvider("clusterConnectionStrings", {
    seed: recordedSeed,
    lifetime: "file",
  });

  for (const [version, resources] of recordedLookups) {
    for (const { what, id, args, state } of resources) {
      describe(`${version}, ${what}`, () => {
        it("shows no change if the strings are the same", async () => {
          const { inputs, failures } = await provider.check(args, state);
          assert.deepEqual(failures, []);
          assert.deepEqual(await provider.diff(id, state, inputs), {
            changes: false,
            replaces: [],
          });
        });

        it("shows a string that the state lacks as a change", async () => {
          const { inputs } = await provider.check(args, state);
          const absent = ["private", "privateSrv", "legacy", "legacySrv", "others"].filter(
            (name) => inputs[name] === null,
          );
          for (const name of absent) {
            const found = name === "others" ? { analytics: "db://new" } : "db://new";
            const { changes } = await provider.diff(id, state, { ...inputs, [name]: found });
            assert.ok(changes, name);
          }
        });

        it("updates a changed output", async () => {
          const { inputs } = await provider.check(args, state);
          const before = { ...state, databaseVersion: "1.0.0" };
          assert.deepEqual(await provider.diff(id, before, inputs), {
            changes: true,
            replaces: [],
          });
          assert.deepEqual(await provider.update(id, before, inputs), inputs);
        });

        it("is unchanged by a refresh, and can be deleted", async () => {
          const read = await provider.read(id, state);
          assert.equal(read.id, id);
          const { __provider, ...recorded } = state;
          assert.deepEqual(read.props, recorded);
          for (const properties of [read.props, read.inputs]) {
            assert.equal((await provider.diff(id, state, properties)).changes, false);
          }
          await provider.delete(id, state);
        });
      });
    }
  }
});
