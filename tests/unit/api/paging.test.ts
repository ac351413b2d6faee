import assert from "node:assert/strict";
import { type PageAddress, readAllPages } from "../../../provider/src/api/paging";

const names = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `c${index + from}`);
const same = (name: string) => name;

describe("a list", () => {
  it("is empty where the service has nothing", async () => {
    const read = () => Promise.resolve({ results: [], totalCount: 0, links: [] });
    assert.deepEqual(await readAllPages("/list", read, same), []);
  });

  it("is read by page number until the total count is reached", async () => {
    const asked: PageAddress[] = [];
    const pages = [names(500), names(500, 500), names(200, 1000)];
    const all = await readAllPages(
      "/list",
      (address) => {
        asked.push(address);
        return Promise.resolve({
          results: pages[asked.length - 1] ?? [],
          totalCount: 1200,
          links: [],
        });
      },
      same,
    );
    assert.equal(all.length, 1200);
    assert.deepEqual(
      asked.map((address) => address.kind === "number" && address.pageNumber),
      [1, 2, 3],
    );
  });

  it("is read until a page brings nothing new where there is neither count nor link", async () => {
    const pages = [names(100), names(100, 100), names(3, 200), names(3, 200)];
    let reads = 0;
    const read = () => Promise.resolve({ results: pages[reads++] ?? [], links: [] });
    assert.equal((await readAllPages("/list", read, same)).length, 203);
    assert.equal(reads, 4);
  });

  it("follows the next link where the service gives one", async () => {
    const asked: PageAddress[] = [];
    const all = await readAllPages(
      "/list",
      (address) => {
        asked.push(address);
        return Promise.resolve(
          asked.length === 1
            ? { results: ["a"], links: [{ rel: "next", href: "https://x/?cursor=2" }] }
            : { results: ["b"], links: [] },
        );
      },
      same,
    );
    assert.deepEqual(all, ["a", "b"]);
    assert.deepEqual(asked[1], { kind: "link", href: "https://x/?cursor=2" });
  });

  it("is read again when it changed under the reading, and holds each entity once", async () => {
    const first = [
      { results: names(500), totalCount: 600, links: [] },
      { results: names(101, 499), totalCount: 601, links: [] },
    ];
    const second = [
      { results: names(500), totalCount: 601, links: [] },
      { results: names(101, 500), totalCount: 601, links: [] },
    ];
    const pages = [...first, ...second];
    let reads = 0;
    const read = () => Promise.resolve(pages[reads++] ?? { results: [], totalCount: 0, links: [] });
    const all = await readAllPages("/list", read, same);
    assert.equal(all.length, 601);
    assert.equal(new Set(all).size, 601);
    assert.equal(reads, 4);
  });

  it("is an error where it stays incomplete: a part must not pass for the whole", async () => {
    let reads = 0;
    const read = () => {
      reads += 1;
      const results = reads % 2 === 1 ? names(500) : [];
      return Promise.resolve({ results, totalCount: 501, links: [] });
    };
    await assert.rejects(
      readAllPages("/list", read, same),
      /holds 501, and only 500 could be read/,
    );
    assert.equal(reads, 6);
  });
});
