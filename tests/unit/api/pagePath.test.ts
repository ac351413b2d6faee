import assert from "node:assert/strict";
import { ApiError } from "../../../provider/src/api/errors";
import { pagePath } from "../../../provider/src/api/paging";

describe("the path of a page", () => {
  const location = {
    baseUrl: new URL("https://service.example"),
    listPath: "/api/clusters",
    previousPath: "/api/clusters?pageNum=1",
  };

  it("contains the number and size of the page", () => {
    assert.equal(
      pagePath({ kind: "number", pageNumber: 2, pageSize: 500 }, location),
      "/api/clusters?pageNum=2&itemsPerPage=500&includeCount=true",
    );
  });

  it("has no parameters for a request without parameters", () => {
    assert.equal(pagePath({ kind: "unparameterized" }, location), "/api/clusters");
  });

  it("keeps the path and query of a link, but not its origin", () => {
    for (const href of [
      "?cursor=2",
      "/api/clusters?cursor=2",
      "https://other.example/api/clusters?cursor=2",
    ]) {
      assert.equal(pagePath({ kind: "link", href }, location), "/api/clusters?cursor=2", href);
    }
  });

  for (const href of [
    ...["https://[::1", "mailto:a@b", "data:text/plain,clusters", "https:///"],
    ...["/api/groups/other/clusters?pageNum=2", "clusters/2", "../other", "//api/clusters", "/"],
  ]) {
    it(`is an error with the page that contains the link if the link is ${href}`, () => {
      assert.throws(
        () => pagePath({ kind: "link", href }, location),
        (error) => {
          assert.ok(error instanceof ApiError);
          const start =
            "GET /api/clusters?pageNum=1: the next link of the list leads to another path, or is not a URL: ";
          assert.ok(error.message.startsWith(`${start}"${href}"`), error.message);
          return true;
        },
      );
    });
  }
});
