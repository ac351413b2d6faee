// Writes a .env file from a stack's outputs:
//   pulumi stack output --json --show-secrets | node write-env.mjs .env
// Outputs that are named like environment variables become lines of the file; others are left out.
// The file holds passwords: nobody else may read it, and it is written whole or not at all.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const [file] = process.argv.slice(2);
try {
  if (file === undefined) throw new Error("name the file to write: node write-env.mjs .env");
  const outputs = readOutputs(await text(process.stdin));
  const variables = Object.entries(outputs).filter(([name]) => /^[A-Z][A-Z0-9_]*$/.test(name));
  if (variables.length === 0) throw new Error("no output is named like an environment variable");
  writeWhole(file, variables.map(([name, value]) => line(name, value)).join(""));
  console.log(`${file}: ${variables.map(([name]) => name).join(", ")}`);
} catch (error) {
  console.error(`write-env: ${error.message}`);
  process.exitCode = 1;
}

function readOutputs(json) {
  try {
    return JSON.parse(json);
  } catch {
    // The parser's own message would repeat a part of the text, which holds secrets.
    throw new Error(
      "standard input is not what `pulumi stack output --json --show-secrets` prints",
    );
  }
}

function line(name, value) {
  if (value === "[secret]") throw new Error(`${name} is hidden: add --show-secrets`);
  if (typeof value === "object") throw new Error(`${name} is not a text or a number`);
  // Single quotes keep everything as it is, so that what they cannot hold is refused.
  if (/['\r\n]/.test(value)) throw new Error(`${name} holds a quote or a line break`);
  return `${name}='${value}'\n`;
}

function writeWhole(file, content) {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
