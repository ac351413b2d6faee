import assert from "node:assert/strict";
import { adviceFor } from "../../../provider/src/api/errors";

describe("the advice after a failed response", () => {
  for (const [status, errorCode, advice] of [
    [401, undefined, "Check the API key or service account in the settings: it must belong to"],
    [401, "IP_NOT_ON_ACCESS_LIST", "Add this machine's address to the API access list"],
    [403, undefined, "Check the roles of the API key or service account on this project, and"],
    [404, undefined, "Check the project ID, and that baseUrl and apiPath are those of the service"],
    [405, undefined, "The service does not offer this operation."],
    [406, undefined, "The service does not serve this resource in the requested version"],
    [409, "CONFLICT", "The request conflicts with the current state of the resource."],
    [409, "DUPLICATE_NAME", "A resource with this name or value already exists."],
    [409, "CLUSTER_PAUSED", "The service refuses this in the current state of the resource."],
    [429, undefined, "The project's limit of requests per minute is exhausted, possibly by other"],
    [400, "INVALID_ATTRIBUTE", "The service rejected the request as invalid."],
    [503, undefined, "The service failed: try again later."],
    [204, undefined, "Check that baseUrl and apiPath are those of the service."],
  ] as const) {
    it(`after a ${status} ${errorCode ?? "without a code"} is: ${advice}`, () => {
      assert.ok(adviceFor({ status, errorCode }).startsWith(advice));
    });
  }

  it("after a redirect names its target", () => {
    assert.match(
      adviceFor({ status: 302, location: "https://elsewhere.example/login" }),
      /^The response is a redirect to https:\/\/elsewhere\.example, which is not followed: set baseUrl/,
    );
  });
});
