// Writes a .env file from a stack's outputs:
//   pulumi stack output --json --show-secrets | node write-env.mjs .env
// Outputs that are named like environment variables become lines of the file; all others are ignored.
// The file contains passwords, so only its owner can read it. It is written atomically.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const [file] = process.argv.slice(2);
try {
  if (file === undefined)
    throw new Error("the file name is missing. Usage: node write-env.mjs .env");
  const outputs = readOutputs(await text(process.stdin));
  const variables = Object.entries(outputs).filter(([name]) => /^[A-Z][A-Z0-9_]*$/.test(name));
  if (variables.length === 0)
    throw new Error("no output is named like an environment variable, such as DATABASE_URL");
  writeAtomically(file, variables.map(([name, value]) => line(name, value)).join(""));
  console.log(`${file}: ${variables.map(([name]) => name).join(", ")}`);
} catch (error) {
  console.error(`write-env: ${error.message}`);
  process.exitCode = 1;
}

function readOutputs(json) {
  try {
    return JSON.parse(json);
  } catch {
    // The parser's own message would contain a part of the text, which contains secrets.
    throw new Error(
      "standard input is not the output of `pulumi stack output --json --show-secrets`",
    );
  }
}

function line(name, value) {
  if (value === "[secret]")
    throw new Error(`${name} is hidden. Run pulumi stack output with --show-secrets`);
  if (typeof value === "object") throw new Error(`${name} is not a string, number or boolean`);
  // Within single quotes, every character is literal. They cannot contain quotes or line breaks.
  if (/['\r\n]/.test(value)) throw new Error(`${name} contains a single quote or a line break`);
  return `${name}='${value}'\n`;
}

function writeAtomically(file, content) {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
