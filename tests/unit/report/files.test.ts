import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { linesOf, readText } from "../../../provider/src/report/files";
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
      assert.equal(readText(fileOf(bytes)), text);
    });
  }

  it("is read by lines, regardless of their length and end", () => {
    const lines = ["", "é".repeat(1_500_000), "b", "例".repeat(700_000)];
    for (const encoding of ["utf8", "utf16le"] as const) {
      for (const end of ["\n", "\r\n"]) {
        const file = fileOf(Buffer.from(`\ufeff${lines.join(end)}`, encoding));
        assert.deepEqual([...linesOf(file)], lines);
      }
    }
  });

  it("is refused if it cannot be read", () => {
    const folder = temporaryFolder(cleanup);
    assert.throws(() => readText(folder), /^ProviderError: .* cannot be read: EISDIR/);
    assert.throws(() => readText("a\u0007b"), /^ProviderError: a\\u\{7\}b cannot be read: ENOENT/);
  });
});
