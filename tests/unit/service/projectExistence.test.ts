import assert from "node:assert/strict";
import { ResponseError } from "../../../provider/src/service/requestErrors";
import { confirmProjectDeletion } from "../../../provider/src/service/client";

interface Response {
  readonly status?: number;
  readonly errorCode?: string;
  readonly method?: "GET" | "PATCH" | "POST";
  /** The path below the project. */
  readonly path?: string;
  /** Whether the root of the API answers. Default: true */
  readonly root?: boolean;
}

/** Returns whether a response proves that the project was deleted. */
async function provesDeletion(response: Response): Promise<boolean> {
  const { status = 404, errorCode, method = "GET", path = "clusters", root = true } = response;
  const request = { method, path: `/api/service/v1.0/groups/p/${path}`, attempt: 1 };
  const error = new ResponseError(request, { status, errorCode });
  const apiRoot = "https://api.example.com/api/service/v1.0";
  return await confirmProjectDeletion(
    { apiRoot, isApiRootValid: () => Promise.resolve(root) },
    "p",
    error,
  );
}

describe("a 404 for a project", () => {
  for (const errorCode of ["GROUP_NOT_FOUND", "PROJECT_NOT_FOUND"]) {
    it(`proves that the project was deleted if its code is ${errorCode}`, async () => {
      assert.equal(await provesDeletion({ errorCode, root: false }), true);
      assert.equal(await provesDeletion({ errorCode, path: "flexClusters" }), true);
    });
  }

  it("proves it with the code of a missing path for the clusters while the root of the API answers", async () => {
    assert.equal(await provesDeletion({ errorCode: "RESOURCE_NOT_FOUND" }), true);
  });

  for (const [what, response] of [
    ["if the root of the API does not answer", { errorCode: "RESOURCE_NOT_FOUND", root: false }],
    ["for the setting", { errorCode: "RESOURCE_NOT_FOUND", path: "privateIpMode" }],
    ["for another list", { errorCode: "RESOURCE_NOT_FOUND", path: "flexClusters" }],
    ["with another code", { errorCode: "CLUSTER_NOT_FOUND" }],
    ["with a longer code", { errorCode: "GROUP_NOT_FOUND_IN_REGION" }],
    ["with a code that ends like it", { errorCode: "SUBGROUP_NOT_FOUND" }],
    ["without a code", {}],
  ] as const) {
    it(`does not prove it ${what}`, async () => {
      await assert.rejects(
        provesDeletion(response),
        /^ProviderError: project p was not found at https:\/\/api\.example\.com\/api\/service\/v1\.0\. The state is unchanged, because a wrong clouddb:baseUrl or clouddb:apiPath looks the same\. If the project was deleted, remove its resources:\n {2}pulumi state delete <URN>$/,
      );
    });
  }
});

describe("another failure of a request for a project", () => {
  for (const [what, response] of [
    ["a 401", { status: 401, errorCode: "NOT_IN_GROUP" }],
    ["a 403", { status: 403, errorCode: "GROUP_NOT_FOUND" }],
    ["a 404 for a token", { method: "POST", errorCode: "GROUP_NOT_FOUND" }],
  ] as const) {
    it(`does not prove that the project was deleted: ${what}`, async () => {
      assert.equal(await provesDeletion(response), false);
    });
  }
});
