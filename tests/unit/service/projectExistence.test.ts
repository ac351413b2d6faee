import assert from "node:assert/strict";
import { ApiError, ResponseError } from "../../../provider/src/service/errors";
import { projectIsGone } from "../../../provider/src/service/projectExistence";

/** What the root of the API and the list of projects show. */
interface ProjectListings {
  readonly root?: boolean;
  readonly isListed?: boolean;
  /** Why the projects cannot be listed. */
  readonly listing?: ApiError;
}

/** Returns whether a response proves that the project was deleted. */
function outcomeOf(status: number, errorCode: string, listings: ProjectListings): Promise<boolean> {
  const request = { method: "GET", path: "/groups/p/clusters", attempts: 1 };
  const body = { errorCode };
  const error = new ResponseError(request, { status }, body, "Check the project ID.");
  const client = {
    apiRoot: "https://api.example.com/api/service/v1.0",
    isApiRootValid: () => Promise.resolve(listings.root === true),
    isProjectListed: () =>
      listings.listing === undefined
        ? Promise.resolve(listings.isListed)
        : Promise.reject(listings.listing),
  };
  return projectIsGone(client, "p", error);
}

describe("a 404 for a project", () => {
  const provesDeletion = (errorCode: string, listings: ProjectListings) =>
    outcomeOf(404, errorCode, listings);

  it("proves that the project was deleted if its code is about the project, and the root is valid or the list of projects lacks it", async () => {
    assert.equal(await provesDeletion("GROUP_NOT_FOUND", { root: true, isListed: true }), true);
    assert.equal(await provesDeletion("GROUP_NOT_FOUND", { root: false, isListed: false }), true);
    await assert.rejects(
      provesDeletion("GROUP_NOT_FOUND", { root: false }),
      /^ProviderError: project p was not found, but this does not prove that it was deleted: the root of the API did not respond as documented\. Nothing is removed from the state\. Check that baseUrl and apiPath are those of the service: the API is expected at https:\/\/api\.example\.com\/api\/service\/v1\.0\. If the project was deleted, remove its resources:\n {2}pulumi state delete <URN>$/,
    );
  });

  it("with the code of an unknown path proves it only if the list of projects lacks the project", async () => {
    assert.equal(await provesDeletion("RESOURCE_NOT_FOUND", { isListed: false }), true);
    await assert.rejects(
      provesDeletion("RESOURCE_NOT_FOUND", { root: true, isListed: true }),
      /does not prove that it was deleted: the service still lists the project\. Nothing is removed/,
    );
    await assert.rejects(
      provesDeletion("RESOURCE_NOT_FOUND", { root: true }),
      /the service's list of projects is empty or may be incomplete\. Nothing is removed/,
    );
  });
});

describe("a 401 or 403 for a project", () => {
  for (const status of [401, 403]) {
    it(`never proves that it was deleted, but a ${status} may mean that if the project is not listed`, async () => {
      await assert.rejects(
        outcomeOf(status, "NOT_IN_GROUP", { root: true, isListed: false }),
        new RegExp(
          `responded with ${status} for project p, although it accepts the credentials: the service lists other projects, but not this one\\. Either the project was deleted, or .* Nothing is removed`,
        ),
      );
      await assert.rejects(
        outcomeOf(status, "NOT_IN_GROUP", { root: true }),
        /the service's list of projects is empty or may be incomplete\. Either/,
      );
    });

    it(`is about the credentials if the project is listed, or nothing can be read: ${status}`, async () => {
      assert.equal(await outcomeOf(status, "FORBIDDEN", { isListed: true }), false);
      const request = { method: "GET", path: "/groups", attempts: 1 };
      const listing = new ApiError("authentication", request, "refused");
      assert.equal(await outcomeOf(status, "FORBIDDEN", { listing }), false);
    });
  }
});
