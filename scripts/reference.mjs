// @ts-check
/**
 * Generates the parts of Markdown files in docs/reference between `<!-- reference: <name> -->` and `<!-- end -->`:
 * arguments, outputs and settings from plugin/schema.json, and the help of the commands. `npm run lint` fails if one of
 * them is stale; `npm run lint -- --fix` rewrites them.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { root } from "./workspace.mjs";

/**
 * @typedef {{ $ref?: string, type?: string, items?: Property, description: string }} Property
 * @typedef {Record<string, Property>} Properties
 * @typedef {{ properties: Properties, required: string[] }} ObjectType
 */

const markdown = [
  "docs/reference/commands.md",
  "docs/reference/resources.md",
  "docs/reference/settings.md",
];

/**
 * @type {{
 *   provider: { inputProperties: Properties },
 *   types: Record<string, Partial<ObjectType> & { enum?: { value: string }[] }>,
 *   resources: Record<string, ObjectType & { inputProperties: Properties, requiredInputs: string[] }>,
 * }}
 */
const schema = JSON.parse(fs.readFileSync(path.join(root, "plugin", "schema.json"), "utf8"));
const settings = schema.provider.inputProperties;

/** The generated parts of Markdown files by name. @type {Record<string, () => string>} */
const parts = {
  commands,
  check: () => quotedHelp("connection-strings", "check"),
  settings: () => `${links(settings)}\n\n${sections(settings, [])}`,
  "arguments of PrivateIpMode": () => argumentsOf("PrivateIpMode"),
  "arguments of ClusterConnectionStrings": () => argumentsOf("ClusterConnectionStrings"),
  "outputs of ClusterConnectionStrings": () => {
    const { inputProperties, properties, required } = resourceNamed("ClusterConnectionStrings");
    return list({ properties: except(properties, inputProperties), required });
  },
  DatabaseUrl: () => {
    const { inputProperties, properties, required } = resourceNamed("DatabaseUrl");
    return list({ properties: { ...properties, ...inputProperties }, required });
  },
  "clusters of getClusters": () => {
    const { properties } = resourceNamed("ClusterConnectionStrings");
    const cluster = schema.types["clouddb:index:ListedCluster"];
    return list({ ...cluster, properties: except(cluster?.properties ?? {}, properties) });
  },
};

/** @param {string} name */
function resourceNamed(name) {
  const resource = schema.resources[`clouddb:index:${name}`];
  if (resource === undefined) throw new Error(`the schema has no resource ${name}`);
  return resource;
}

/** @param {string} name */
function argumentsOf(name) {
  const { inputProperties, requiredInputs } = resourceNamed(name);
  return sections(inputProperties, requiredInputs, name);
}

/** Returns the properties that others lack. @param {Properties} properties @param {Properties} others */
function except(properties, others) {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !(name in others)));
}

/** Returns a section with the help of each command of pulumi-clouddb. */
function commands() {
  const names = [...helpOf("provider").matchAll(/^ {2}([a-z]+) /gm)].map(([, name = ""]) => name);
  return names.map((name) => `## ${code(name)}\n\n${quotedHelp("provider", name)}`).join("\n\n");
}

/** @param {"provider" | "connection-strings"} folder @param {string} command */
function quotedHelp(folder, command) {
  return `\`\`\`\n${helpOf(folder, command)}\`\`\``;
}

/** @param {"provider" | "connection-strings"} folder @param {string[]} command a name; none: all commands */
function helpOf(folder, ...command) {
  const cli = path.join(root, folder, "dist", "cli.js");
  return execFileSync(process.execPath, [cli, ...command, "--help"], { encoding: "utf8" });
}

/** @param {Properties} properties */
function links(properties) {
  const names = Object.keys(properties);
  return names.map((name) => `[${code(name)}](#${name.toLowerCase()})`).join(" · ");
}

/**
 * Returns a section for each property.
 * @param {Properties} properties @param {string[]} required @param {string} [owner] the resource
 */
function sections(properties, required, owner) {
  return Object.entries(properties)
    .map(([name, property]) => {
      const heading = owner === undefined ? code(name) : `${code(name)} of ${owner}`;
      const isRequired = required.includes(name) ? " Required." : "";
      const about = `${property.description} Type: ${typeText(property)}.${isRequired}`;
      return [`### ${heading}`, about, fieldsOfType(property)].filter(Boolean).join("\n\n");
    })
    .join("\n\n");
}

/**
 * Returns a list of the fields of an object, with those of each field.
 * @param {Partial<ObjectType>} type
 * @returns {string}
 */
function list({ properties = {}, required = [] }) {
  return Object.entries(properties)
    .map(([name, property]) => {
      const absent = required.includes(name) ? "" : ", or absent";
      const item = `- ${code(name)} (${typeText(property)}${absent}): ${property.description}`;
      const fields = fieldsOfType(property);
      return fields === "" ? item : `${item}\n${fields}`.replaceAll("\n", "\n  ");
    })
    .join("\n");
}

/** @param {Property} property */
function fieldsOfType(property) {
  return list(namedType(property.items ?? property) ?? {});
}

/** @param {Property} property */
function namedType({ $ref = "" }) {
  return schema.types[$ref.replace("#/types/", "")];
}

/**
 * @param {Property} property
 * @returns {string}
 */
function typeText(property) {
  if (property.items !== undefined) {
    const item = typeText(property.items);
    return `list of ${item === "object" ? "objects" : item}`;
  }
  const named = namedType(property);
  if (named === undefined) return code(property.type ?? "any");
  return named.enum?.map(({ value }) => code(`"${value}"`)).join(", ") ?? "object";
}

/** @param {string} text */
function code(text) {
  return `\`${text}\``;
}

/**
 * Returns a Markdown file with its current parts.
 * @param {string} text
 */
function withParts(text) {
  return text.replace(
    /(<!-- reference: (.+?) -->\n).*?(?=<!-- end -->)/gs,
    (_whole, start, name) => {
      const current = parts[name];
      if (current === undefined) throw new Error(`nothing is named ${name}`);
      return `${start}\n${current()}\n\n`;
    },
  );
}

const isFix = process.argv.includes("--fix");
const stale = [];
for (const file of markdown) {
  const text = fs.readFileSync(path.join(root, file), "utf8");
  const current = withParts(text);
  if (text === current) continue;
  stale.push(file);
  if (isFix) fs.writeFileSync(path.join(root, file), current);
}
if (stale.length > 0 && !isFix) {
  console.error(`Stale: ${stale.join(", ")}. Run npm run lint -- --fix.`);
  process.exitCode = 1;
}
