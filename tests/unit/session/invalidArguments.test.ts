import assert from "node:assert/strict";
import { argsSchema } from "../../../provider/src/clusterConnectionStrings/argsSchema";
import { args as privateIpModeArgs } from "../../../provider/src/privateIpMode/args";
import { readInputs } from "../../../provider/src/providerProcess/inputs";

const lookup = { projectId: "p", clusterName: "orders" };
const mode = { projectId: "p", enabled: false };

describe("the failure for an invalid argument", () => {
  for (const [inputs, reason] of [
    [{ projectId: "" }, "must be a project ID, not empty"],
    ...[".", "..", " ", "a\nb", "a/b", "%2e", "a b", "\u0000", "é", "a?b", "\ud800"].map(
      (projectId) =>
        [
          { projectId },
          /^\.+$/.test(projectId)
            ? "must be a project ID: . and .. are not IDs"
            : "must be a project ID: it may contain only ASCII letters, digits, -, ., _ and ~",
        ] as const,
    ),
    [
      { clusterName: "a\nb" },
      "must be the name of a cluster, without control or invisible characters",
    ],
    [{ clusterName: "" }, "must be the name of a cluster, not empty"],
    [
      { network: "peering" },
      'must be { kind: "internet" }, { kind: "peering" } or { kind: "privateEndpoint" }',
    ],
    [{ form: "uri" }, 'must be "srv" or "hosts"'],
    [{ optimized: "yes" }, "must be true or false"],
    [{ waitSeconds: "60" }, "must be a number of seconds"],
    [{ waitSeconds: -1 }, "must not be negative"],
    [{ waitSeconds: 7201 }, "must be at most 7200"],
  ] as const) {
    it(`of a lookup says: ${reason}`, () => {
      const failures = [{ property: Object.keys(inputs)[0], reason }];
      assert.deepEqual(readInputs(argsSchema, { ...lookup, ...inputs }), {
        kind: "invalid",
        failures,
      });
    });
  }

  for (const [inputs, reason] of [
    [{ enabled: "false" }, "must be true or false"],
    [{ onDelete: "delete" }, 'must be "retain" or "restore"'],
  ] as const) {
    it(`of a PrivateIpMode says: ${reason}`, () => {
      const failures = [{ property: Object.keys(inputs)[0], reason }];
      assert.deepEqual(readInputs(privateIpModeArgs, { ...mode, ...inputs }), {
        kind: "invalid",
        failures,
      });
    });
  }
});
