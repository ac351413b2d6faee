import assert from "node:assert/strict";
import fc from "fast-check";
import { NoResponseError } from "../../provider/src/service/errors";
import { pagePath } from "../../provider/src/service/paging";
import { hostileText } from "./hostile";
import { isOneOf, outcomeOf, property } from "./properties";

const parts = [
  ...["https:", "http:", "javascript:", "data:", "mailto:", "file:", "blob:"],
  ...["//", "/", "\\", ".."],
  ...["?pageNum=2", "?", "#", "@", ":443", "api.example.com", "internal.example", "[::1]", "%2f"],
  ...["/api/service/v1.0/groups/p/clusters", "\t", "\n", " ", "世", "\ud800", "%", "."],
];

const link = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...parts), { maxLength: 6 }).map(join) },
  { weight: 1, arbitrary: hostileText },
);

function join(each: readonly string[]): string {
  return each.join("");
}

describe("invalid or malicious next links", () => {
  property("lead to the path of the list, or cause a NoResponseError", {
    subject: "links",
    inputs: fc.array(link, { minLength: 1, maxLength: 4 }),
    examples: [["mailto:a@b"], ["data:,x"], ["https://h.example//", "?a=1"], ["/api/service"]],
    check: async (links) => {
      const listPath = "/api/service/v1.0/groups/p/clusters";
      for (const href of links) {
        const follow = () => pagePath({ kind: "link", href }, "https://api.example.com", listPath);
        const outcome = await outcomeOf(follow, isOneOf(NoResponseError));
        if (outcome.kind === "error") return;
        // A request with such a path is sent unchanged to the configured origin.
        assert.match(outcome.value, /^[!-~]*$/);
        assert.equal(outcome.value.split("?")[0], listPath);
      }
    },
  });
});
