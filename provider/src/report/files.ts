/** Reads the files of a report: what Pulumi wrote, or what PowerShell redirected. */
import { closeSync, openSync, readSync } from "node:fs";
import { TextDecoder } from "node:util";
import { escapeText } from "../messages/text";
import { ProviderError } from "../messages/errors";

export function readText(path: string): string {
  return [...linesOf(path)].join("\n");
}

const chunkSize = 1024 * 1024;

/**
 * Reads the lines of a file, one at a time, because an event log can be larger than a string of Node.js. The text is
 * UTF-8, or UTF-16 with a byte order mark, which PowerShell writes. Its lines can end as on Windows.
 */
export function* linesOf(path: string): Generator<string> {
  const file = reading(path, () => openSync(path, "r"));
  try {
    const chunk = Buffer.alloc(chunkSize);
    let decoder: TextDecoder | undefined;
    // The parts of a line that is longer than a chunk.
    let parts: string[] = [];
    const line = () => parts.join("").replace(/\r$/, "");
    for (;;) {
      const length = reading(path, () => readSync(file, chunk));
      const bytes = chunk.subarray(0, length);
      decoder ??= new TextDecoder(encodingOf(bytes));
      const [first = "", ...others] = decoder.decode(bytes, { stream: length > 0 }).split("\n");
      parts.push(first);
      for (const start of others) {
        yield line();
        parts = [start];
      }
      if (length === 0) break;
    }
    yield line();
  } finally {
    closeSync(file);
  }
}

function encodingOf(bytes: Buffer): string {
  return bytes.toString("hex", 0, 2) === "fffe" ? "utf-16le" : "utf-8";
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
