/** Opens what a report reads: files from outside, which can be of any kind, size and encoding. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { escapeText } from "../messages/text";
import { ProviderError } from "../messages/errors";

const megabyte = 1024 * 1024;

/** The limit of an input, in bytes. */
export const inputLimit = 64 * megabyte;

/** Reads a regular file, because a pipe or a device could block or never end. Throws if it cannot be read. */
export function readFile(path: string, limit = inputLimit): string {
  const name = escapeText(path);
  try {
    // Without O_NONBLOCK, opening a pipe waits for a writer.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!fstatSync(file).isFile()) {
        throw new ProviderError(
          `${name} is not a regular file. Pass a file, or pass its content on standard input.`,
        );
      }
      // The size of the file does not say how much can be read.
      const bytes = Buffer.alloc(limit + 1);
      let length = 0;
      for (let read = 1; read > 0; length += read) read = readSync(file, bytes, { offset: length });
      return decoded(bytes.subarray(0, length), name, limit);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw unreadable(error, name);
  }
}

/** Reads a stream, such as standard input. Throws if it cannot be read. */
export async function readStream(
  stream: AsyncIterable<string | Buffer>,
  name: string,
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const each of stream) {
      const chunk = Buffer.from(each);
      chunks.push(chunk);
      length += chunk.length;
      if (length > inputLimit) break;
    }
  } catch (error) {
    throw unreadable(error, name);
  }
  return decoded(Buffer.concat(chunks), name, inputLimit);
}

/** Decodes UTF-8, or UTF-16 with a byte order mark, which PowerShell writes. */
function decoded(bytes: Buffer, name: string, limit: number): string {
  if (bytes.length > limit) {
    throw new ProviderError(
      `${name} exceeds the limit of ${limit / megabyte} MB. Pass less; the output of pulumi preview --json contains only the resources that change.`,
    );
  }
  const mark = bytes.toString("hex", 0, 2);
  const encoding = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

function unreadable(error: unknown, name: string): ProviderError {
  if (error instanceof ProviderError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ProviderError(`${name} cannot be read: ${escapeText(message)}`);
}
