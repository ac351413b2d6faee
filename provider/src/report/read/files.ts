/** Reads the files of a report: what Pulumi wrote, or what PowerShell redirected. */
import { readFileSync } from "node:fs";
import { TextDecoder } from "node:util";
import { ProviderError } from "../../messages/errors";
import { escapeText } from "../../messages/text";

/** The maximum size of a file, in megabytes. Node.js holds no text of more than 512 MB. */
const maxMegabytes = 500;

/** Reads a text in UTF-8, or in UTF-16 with a byte order mark, which PowerShell writes. */
export function readTextFile(path: string): string {
  const bytes = readBytes(path);
  if (bytes.length > maxMegabytes * 1e6) {
    throw new ProviderError(
      `${escapeText(path)} has ${Math.ceil(bytes.length / 1e6)} MB, and a report reads at most ${maxMegabytes} MB. Report on fewer resources, for example with --target.`,
    );
  }
  const encoding = bytes.toString("hex", 0, 2) === "fffe" ? "utf-16le" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

/** Reads the last megabyte of a text in UTF-8, because a program can print more than Node.js can hold. */
export function readEndOfFile(path: string): string {
  const end = readBytes(path).subarray(-1e6);
  // The rest of a line could be a part of a secret.
  return end.length < 1e6 ? end.toString() : end.toString().replace(/^.*/, "…");
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ProviderError(`${escapeText(path)} cannot be read: ${escapeText(message)}`);
  }
}
