// Writes a stack's outputs to a file for an application: a .env file, or the manifest of a Kubernetes Secret.
//   pulumi stack output --json --show-secrets | node write-config.mjs .env
//   pulumi stack output --json --show-secrets | node write-config.mjs --secret orders secret.json DATABASE_URL
// Without names, it takes all outputs that are named like environment variables. The file contains passwords, so
// only its owner can read it. It is written atomically.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";

const usage = "Usage: node write-config.mjs [--secret NAME] FILE [OUTPUT ...]";

try {
  const options = { secret: { type: "string" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [file, ...names] = positionals;
  if (file === undefined) throw new Error(`the file name is missing. ${usage}`);
  const variables = selectVariables(readOutputs(await text(process.stdin)), names);
  const content =
    values.secret === undefined ? envFile(variables) : kubernetesSecret(values.secret, variables);
  writeAtomically(file, content);
  console.log(`${file}: ${variables.map(([name]) => name).join(", ")}`);
} catch (error) {
  console.error(`write-config: ${error.message}`);
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

function selectVariables(outputs, names) {
  const missing = names.find((name) => !Object.hasOwn(outputs, name));
  if (missing !== undefined) throw new Error(`the stack has no output ${missing}`);
  const isSelected = (name) =>
    names.length > 0 ? names.includes(name) : /^[A-Z][A-Z0-9_]*$/.test(name);
  const variables = Object.entries(outputs).filter(([name]) => isSelected(name));
  if (variables.length === 0)
    throw new Error("no output is named like an environment variable, such as DATABASE_URL");
  for (const [name, value] of variables) {
    if (value === "[secret]")
      throw new Error(`${name} is hidden. Run pulumi stack output with --show-secrets`);
    if (typeof value === "object") throw new Error(`${name} is not a string, number or boolean`);
  }
  return variables;
}

function envFile(variables) {
  return variables.map(([name, value]) => envLine(name, value)).join("");
}

function envLine(name, value) {
  // Within single quotes, every character is literal. They cannot contain quotes or line breaks.
  if (/['\r\n]/.test(value)) throw new Error(`${name} contains a single quote or a line break`);
  return `${name}='${value}'\n`;
}

/** The manifest in JSON, which `kubectl apply --filename` reads like YAML. */
function kubernetesSecret(name, variables) {
  const stringData = Object.fromEntries(variables.map(([key, value]) => [key, String(value)]));
  const manifest = { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData };
  return `${JSON.stringify(manifest, null, 2)}\n`;
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
