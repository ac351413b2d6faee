/** Reads the files of a report: what Pulumi wrote, or what PowerShell redirected. */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { escapeText } from "../messages/text";
import { ProviderError } from "../messages/errors";

/** Reads a text in UTF-8, or in UTF-16 with a byte order mark, which PowerShell writes. */
export function readText(path: string): string {
  return reading(path, () => {
    const bytes = readFileSync(path);
    const mark = bytes.toString("hex", 0, 2);
    const encoding = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "utf-8";
    return new TextDecoder(encoding).decode(bytes);
  });
}

const chunkSize = 1024 * 1024;

/** Reads the lines of a file in UTF-8, one at a time, because an event log can be larger than a string of Node.js. */
export function* linesOf(path: string): Generator<string> {
  const file = reading(path, () => openSync(path, "r"));
  try {
    const decoder = new StringDecoder("utf8");
    const chunk = Buffer.alloc(chunkSize);
    // The parts of a line that is longer than a chunk.
    let parts: string[] = [];
    for (;;) {
      const length = reading(path, () => readSync(file, chunk));
      const [first = "", ...others] = decoder.write(chunk.subarray(0, length)).split("\n");
      parts.push(first);
      for (const line of others) {
        yield parts.join("");
        parts = [line];
      }
      if (length === 0) break;
    }
    yield parts.join("");
  } finally {
    closeSync(file);
  }
}

/** Names the file in the error of the operating system. */
function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ProviderError(`${escapeText(path)} cannot be read: ${escapeText(message)}`);
  }
}
