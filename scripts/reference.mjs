// @ts-check
/**
 * Generates plugin/schema.json and parts of Markdown files from the types of the packages and their JSDoc: sections
 * with a heading for each argument and setting in docs/reference, and lists; and docs/reference/commands.md from the
 * help of the commands. `npm run lint` fails if one of them is stale; `npm run lint -- --fix` rewrites them. A part is
 * between `<!-- reference: <name> -->` and `<!-- end -->`.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { code, outputs, resources, schema, settings, tokenOf, types } from "./schema.mjs";
import { installed, root } from "./workspace.mjs";

/** @import { Property, TypeSpec } from "./schema.mjs" */

const markdown = [
  "docs/reference/commands.md",
  "docs/reference/resources.md",
  "docs/reference/settings.md",
];
const schemaFile = path.join(root, "plugin", "schema.json");

/** The generated parts of Markdown files by name. @type {Record<string, () => string>} */
const parts = {
  commands,
  check: () => quotedHelp("connection-strings", "check"),
  settings: () => `${links(settings)}\n\n${sections(settings, [])}`,
  DatabaseUrl: () => {
    const { inputProperties, requiredInputs } = resources.DatabaseUrl;
    const { properties = {}, required = [] } = outputs.get("DatabaseUrl") ?? {};
    return list({
      properties: { ...inputProperties, ...properties },
      required: [...requiredInputs, ...required],
    });
  },
  "clusters of getClusters": () => {
    const strings = Object.keys(outputs.get("ClusterConnectionStrings")?.properties ?? {});
    const { properties = {}, required = [] } = types[tokenOf("ListedCluster")] ?? {};
    const own = Object.entries(properties).filter(([name]) => !strings.includes(name));
    return list({ properties: Object.fromEntries(own), required });
  },
  ...Object.fromEntries(
    Object.entries(resources).flatMap(([name, { inputProperties, requiredInputs }]) => {
      const { properties = {}, required = [] } = outputs.get(name) ?? {};
      const computed = Object.entries(properties).filter(
        ([property]) => !(property in inputProperties),
      );
      return [
        [`arguments of ${name}`, () => sections(inputProperties, requiredInputs, name)],
        [`outputs of ${name}`, () => list({ properties: Object.fromEntries(computed), required })],
      ];
    }),
  ),
};

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

/** @param {Record<string, Property>} properties */
function links(properties) {
  const names = Object.keys(properties);
  return names.map((name) => `[${code(name)}](#${name.toLowerCase()})`).join(" · ");
}

/**
 * Returns a section for each property.
 * @param {Record<string, Property>} properties @param {readonly string[]} required
 * @param {string} [owner] the resource
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
 * @param {{ properties?: Record<string, Property>, required?: string[] }} type
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

/** @param {TypeSpec} spec */
function namedType({ $ref }) {
  return $ref === undefined ? undefined : types[$ref.replace("#/types/", "")];
}

/**
 * @param {TypeSpec} spec
 * @returns {string}
 */
function typeText(spec) {
  if (spec.items !== undefined) {
    const item = typeText(spec.items);
    return `list of ${item === "object" ? "objects" : item}`;
  }
  const named = namedType(spec);
  if (named === undefined) return code(spec.type ?? "any");
  return named.enum?.map(({ value }) => code(`"${value}"`)).join(", ") ?? "object";
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
if (!isDeepStrictEqual(JSON.parse(fs.readFileSync(schemaFile, "utf8")), schema)) {
  stale.push("plugin/schema.json");
  if (isFix) {
    fs.writeFileSync(schemaFile, JSON.stringify(schema));
    const biome = installed("@biomejs/biome/bin/biome");
    execFileSync(process.execPath, [biome, "format", "--write", schemaFile], { stdio: "ignore" });
  }
}
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
