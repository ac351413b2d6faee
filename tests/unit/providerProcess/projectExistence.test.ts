import assert from "node:assert/strict";
import { ResponseError } from "../../../provider/src/api/errors";
import { projectIsGone } from "../../../provider/src/providerProcess/projectExistence";

describe("a 404 for a project", () => {
  const request = { method: "GET", path: "/groups/p/clusters", attempts: 1 };
  const body = { errorCode: "GROUP_NOT_FOUND", parameters: [] };
  const notFound = new ResponseError(request, { status: 404 }, body, "Check the project ID.");

  const isGone = (isApiRootValid: boolean) =>
    projectIsGone(
      {
        apiRoot: "https://api.example.com/api/service/v1.0",
        isApiRootValid: () => Promise.resolve(isApiRootValid),
      },
      "p",
      notFound,
    );

  it("proves that the project was deleted if the root of the API responds as documented", async () => {
    assert.equal(await isGone(true), true);
  });

  it("proves nothing if the root of the API did not respond as documented", async () => {
    await assert.rejects(
      isGone(false),
      /^ProviderError: project p was not found, but this does not prove that it was deleted: the root of the API did not respond as documented\. Nothing is removed from the state\. Check that baseUrl and apiPath are those of the service: the API is expected at https:\/\/api\.example\.com\/api\/service\/v1\.0\.$/,
    );
  });
});
