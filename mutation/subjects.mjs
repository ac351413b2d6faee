// @ts-check
/** The subjects of mutation testing: what is mutated, and the tests that must notice. */

/**
 * @typedef {object} Subject
 * @property {string[]} files the sources to mutate
 * @property {string[]} tests the tests to run
 * @property {boolean} [isShort] whether `npm test` includes it
 */

/** @type {Record<string, Subject>} */
export const subjects = {
  guard: {
    files: ["provider/src/privateIpMode/guard.ts"],
    tests: ["tests/unit/privateIpMode/guard.test.ts"],
    isShort: true,
  },
  digest: {
    files: ["provider/src/api/digest.ts", "provider/src/api/digestSession.ts"],
    tests: [
      "tests/unit/api/digest.test.ts",
      "tests/unit/api/digestSession.test.ts",
      "tests/unit/api/authentication.test.ts",
      "tests/unit/api/client.test.ts",
    ],
  },
  lists: {
    files: ["provider/src/api/paging.ts", "provider/src/api/sharedListing.ts"],
    tests: [
      "tests/unit/api/paging.test.ts",
      "tests/unit/api/pagePath.test.ts",
      "tests/unit/api/sharedListing.test.ts",
      "tests/protocol/foreignServices/lists.test.ts",
    ],
  },
  selection: {
    files: ["connection-strings/src/selection.ts", "connection-strings/src/privateEndpoints.ts"],
    tests: [
      "tests/unit/connection-strings/selection.test.ts",
      "tests/unit/connection-strings/privateEndpoints.test.ts",
    ],
  },
  lifecycles: {
    files: [
      "provider/src/privateIpMode/lifecycle.ts",
      "provider/src/privateIpMode/modeChange.ts",
      "provider/src/privateIpMode/restore.ts",
      "provider/src/privateIpMode/recordedMode.ts",
      "provider/src/clusterConnectionStrings/lifecycle.ts",
      "provider/src/clusterConnectionStrings/recordedLookup.ts",
      "provider/src/clusterConnectionStrings/kindChange.ts",
    ],
    tests: [
      "tests/unit/privateIpMode/recordedMode.test.ts",
      "tests/unit/clusterConnectionStrings/recordedLookup.test.ts",
      "tests/unit/clusterConnectionStrings/kindChange.test.ts",
      "tests/unit/privateIpMode/modeChange.test.ts",
      "tests/protocol/privateIpMode/args.test.ts",
      "tests/protocol/privateIpMode/delete.test.ts",
      "tests/protocol/privateIpMode/guard.test.ts",
      "tests/protocol/privateIpMode/lifecycle.test.ts",
      "tests/protocol/privateIpMode/peeringWarning.test.ts",
      "tests/protocol/privateIpMode/recordedMode.test.ts",
      "tests/protocol/privateIpMode/restore.test.ts",
      "tests/protocol/clusterConnectionStrings/args.test.ts",
      "tests/protocol/clusterConnectionStrings/lifecycle.test.ts",
      "tests/protocol/clusterConnectionStrings/lookup.test.ts",
      "tests/protocol/clusterConnectionStrings/releasedStates.test.ts",
      "tests/protocol/clusterConnectionStrings/waiting.test.ts",
      "tests/protocol/foreignServices/lists.test.ts",
      "tests/protocol/foreignServices/projectExistence.test.ts",
    ],
  },
  masking: {
    files: ["provider/src/api/redact.ts", "provider/src/api/text.ts"],
    tests: ["tests/unit/api/redact.test.ts", "tests/unit/api/text.test.ts"],
  },
};
