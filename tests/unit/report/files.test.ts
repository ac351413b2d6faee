import assert from "node:assert/strict";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTextFile } from "../../../provider/src/report/read/files";
import { temporaryFolder, useCleanup } from "../../support/cleanup";

describe("a file of a report", () => {
  const cleanup = useCleanup("test");
  const fileOf = (content: Buffer | string) => {
    const file = join(temporaryFolder(cleanup), "preview.json");
    writeFileSync(file, content);
    return file;
  };

  const text = '{"steps":[],"é":"例"}';
  for (const [encoding, bytes] of [
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${text}`)],
    ["UTF-16", Buffer.from(`\ufeff${text}`, "utf16le")],
  ] as const) {
    it(`is decoded: ${encoding}`, () => {
      assert.equal(readTextFile(fileOf(bytes)), text);
    });
  }

  it("is refused above 500 MB, with its size", () => {
    const file = fileOf("");
    truncateSync(file, 500_000_001);
    assert.throws(
      () => readTextFile(file),
      /^ProviderError: .* has 501 MB, and a report reads at most 500 MB\. /,
    );
  });

  it("is refused if it cannot be read", () => {
    const folder = temporaryFolder(cleanup);
    assert.throws(() => readTextFile(folder), /^ProviderError: .* cannot be read: EISDIR/);
    assert.throws(
      () => readTextFile("a\u0007b"),
      /^ProviderError: a\\u\{7\}b cannot be read: ENOENT/,
    );
  });
});
