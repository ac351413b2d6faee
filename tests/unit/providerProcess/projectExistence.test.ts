import assert from "node:assert/strict";
import { ResponseError } from "../../../provider/src/api/errors";
import { projectIsGone } from "../../../provider/src/providerProcess/projectExistence";

describe("a 404 for a project", () => {
  const isGone = (errorCode: string, evidence: { root?: boolean; isListed?: boolean }) => {
    const request = { method: "GET", path: "/groups/p/clusters", attempts: 1 };
    const body = { errorCode, parameters: [] };
    const notFound = new ResponseError(request, { status: 404 }, body, "Check the project ID.");
    const client = {
      apiRoot: "https://api.example.com/api/service/v1.0",
      isApiRootValid: () => Promise.resolve(evidence.root === true),
      isProjectListed: () => Promise.resolve(evidence.isListed),
    };
    return projectIsGone(client, "p", notFound);
  };

  it("proves that the project was deleted if its code is about the project and the root is valid", async () => {
    assert.equal(await isGone("GROUP_NOT_FOUND", { root: true, isListed: true }), true);
    await assert.rejects(
      isGone("GROUP_NOT_FOUND", { root: false, isListed: false }),
      /^ProviderError: project p was not found, but this does not prove that it was deleted: the root of the API did not respond as documented\. Nothing is removed from the state\. Check that baseUrl and apiPath are those of the service: the API is expected at https:\/\/api\.example\.com\/api\/service\/v1\.0\. If the project was deleted, remove its resources with pulumi state delete\.$/,
    );
  });

  it("with the code of an unknown path proves it only if the list of projects lacks the project", async () => {
    assert.equal(await isGone("RESOURCE_NOT_FOUND", { isListed: false }), true);
    await assert.rejects(
      isGone("RESOURCE_NOT_FOUND", { root: true, isListed: true }),
      /does not prove that it was deleted: the service still lists the project\. Nothing is removed/,
    );
    await assert.rejects(
      isGone("RESOURCE_NOT_FOUND", { root: true }),
      /the service's list of projects is empty or may be incomplete\. Nothing is removed/,
    );
  });
});
