// @ts-check
/**
 * Generates plugin/schema.json and parts of Markdown files from the types of the packages and their JSDoc:
 * sections with a heading for each argument, output and setting in docs/reference, lists, and tables in READMEs; and
 * docs/reference/commands.md from the help of the commands.
 * `npm run lint` fails if one of them is stale; `npm run lint -- --fix` rewrites them. A part is between
 * `<!-- reference: <name> -->` and `<!-- end -->`.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import ts from "typescript";
import {
  checker,
  code,
  defaults,
  documentation,
  exampleOf,
  exportedSymbol,
  fieldsOf,
  functions,
  outputs,
  repository,
  resources,
  schema,
  settings,
  tokenOf,
  types,
  variableOf,
} from "./schema.mjs";
import { installed, root } from "./workspace.mjs";

/** @import { Property, TypeSpec } from "./schema.mjs" */

const markdown = [
  "connection-strings/README.md",
  "docs/_index.md",
  "docs/installation-configuration.md",
  "docs/reference/commands.md",
  "docs/reference/resources.md",
  "docs/reference/settings.md",
  "provider/README.md",
  "simulator/README.md",
];
const schemaFile = path.join(root, "plugin", "schema.json");

/** The generated parts of Markdown files by name. @type {Record<string, () => string>} */
const parts = {
  commands,
  settings: () => `${links(settings)}\n\n${sections(settings, [])}`,
  "list of settings": () =>
    Object.entries(settings)
      .map(([name, { description }]) => `- ${code(name)}: ${description}`)
      .join("\n"),
  "example in the main languages": () => {
    const { description } = resources.ClusterConnectionStrings;
    const blocks = [...description.matchAll(/^```(typescript|python|yaml)\n[^]*?^```$/gm)];
    const choices = blocks.map(
      ([block, language]) =>
        `{{% choosable language ${language} %}}\n\n${block}\n\n{{% /choosable %}}`,
    );
    const languages = blocks.map(([, language]) => language).join();
    return [`{{< chooser language "${languages}" >}}`, ...choices, "{{< /chooser >}}"].join("\n");
  },
  "fields of a cluster": () => commentTable("simulator/src/seed/cluster.ts", "SeedCluster"),
  DatabaseUrl: () => {
    const { inputProperties, requiredInputs } = resources.DatabaseUrl;
    const { properties = {}, required = [] } = outputs.get("DatabaseUrl") ?? {};
    return list({
      properties: { ...inputProperties, ...properties },
      required: [...requiredInputs, ...required],
    });
  },
  "result of classifyConnectionString": () => list(functions.classifyConnectionString.outputs),
  "clusters of getClusters": () => {
    const strings = Object.keys(outputs.get("ClusterConnectionStrings")?.properties ?? {});
    const { properties = {}, required = [] } = types[tokenOf("ListedCluster")] ?? {};
    const own = Object.entries(properties).filter(([name]) => !strings.includes(name));
    return list({ properties: Object.fromEntries(own), required });
  },
  "result of getPrivateIpModeReadiness": () => list(functions.getPrivateIpModeReadiness.outputs),
  ...Object.fromEntries(
    Object.entries(resources).flatMap(([name, { inputProperties, requiredInputs }]) => {
      const { properties = {}, required = [] } = outputs.get(name) ?? {};
      const computed = Object.entries(properties).filter(([each]) => !(each in inputProperties));
      return [
        [`arguments of ${name}`, () => sections(inputProperties, requiredInputs, name)],
        [
          `outputs of ${name}`,
          () => list({ properties: Object.fromEntries(computed), required }, true),
        ],
        [`names of arguments of ${name}`, () => table(inputProperties, requiredInputs, name)],
      ];
    }),
  ),
};

/** Returns a section with the help of each command, without the text that all commands share. */
function commands() {
  const names = [...helpOf().matchAll(/^ {2}([a-z]+) /gm)].map(([, name = ""]) => name);
  const shared = /^ +--help +print this help\n|^Settings are read from [^]*?\n\n/gm;
  return names
    .map((name) => `## ${code(name)}\n\n\`\`\`\n${helpOf(name).replace(shared, "")}\`\`\``)
    .join("\n\n");
}

/** @param {string[]} command a name; none: all commands */
function helpOf(...command) {
  const cli = path.join(root, "provider", "dist", "cli.js");
  return execFileSync(process.execPath, [cli, ...command, "--help"], { encoding: "utf8" });
}

/** @param {Record<string, Property>} properties */
function links(properties) {
  const names = Object.keys(properties);
  return names.map((name) => `[${code(name)}](#${name.toLowerCase()})`).join(" · ");
}

/** @param {string} name @param {string | undefined} owner */
function headingOf(name, owner) {
  return owner === undefined ? code(name) : `${code(name)} of ${owner}`;
}

/**
 * Returns a section for each property, with its type, default and example.
 * @param {Record<string, Property>} properties @param {readonly string[]} required
 * @param {string} [owner] the resource
 */
function sections(properties, required, owner) {
  return Object.entries(properties)
    .map(([name, property]) => {
      const { named, value, about } = markdownOf(property);
      const example = exampleOf.get(property) ?? "";
      const facts = [
        `Type: ${shortType(property)}.`,
        ...(required.includes(name) ? ["Required."] : []),
        ...(value === "" ? [] : [`Default: ${value}.`]),
        ...(owner === undefined ? [`Environment variable: ${code(variableOf(name))}.`] : []),
        ...(example === "" ? [] : [`Example: ${code(example)}.`]),
      ];
      const fields = named?.properties === undefined ? [] : ["", list(named)];
      return [`### ${headingOf(name, owner)}`, "", about, facts.join(" "), ...fields].join("\n");
    })
    .join("\n\n");
}

/** @param {Property} property */
function shortType(property) {
  if (markdownOf(property).named?.properties === undefined) return typeText(property);
  return property.items === undefined ? "object" : "list of objects";
}

/**
 * Returns the parts of a property that the Markdown files show.
 * @param {Property} property
 */
function markdownOf(property) {
  const named = namedType(property.items ?? property);
  const text = defaults.get(property) ?? "";
  const value = named?.enum === undefined ? text : text.replace(/^`(.*)`$/, '`"$1"`');
  const about = property.description?.replace(/ (Default|Environment variable): .*/, "") ?? "";
  return { named, value, about };
}

/**
 * Returns a list of the fields of an object.
 * @param {{ properties?: Record<string, Property>, required?: string[] }} type
 * @param {boolean} [isDetailed] whether it has the examples, and a nested list of the fields of each field
 * @returns {string}
 */
function list({ properties = {}, required = [] }, isDetailed = false) {
  return Object.entries(properties)
    .map(([name, property]) => {
      const { named, about } = markdownOf(property);
      const absent = required.includes(name) ? "" : ", or absent";
      if (!isDetailed) return `- ${code(name)} (${typeText(property)}${absent}): ${about}`;
      const example = exampleOf.get(property);
      const shown = example === undefined ? "" : ` Example: ${code(example)}.`;
      const fields = named?.properties === undefined ? "" : `\n${list(named)}`;
      const item = `- ${code(name)} (${shortType(property)}${absent}): ${about}${shown}`;
      return `${item}${fields.replaceAll("\n", "\n  ")}`;
    })
    .join("\n");
}

/**
 * Returns a table for a README on npm. Its names link to their sections.
 * @param {Record<string, Property>} properties @param {readonly string[]} required
 * @param {string} owner the resource
 */
function table(properties, required, owner) {
  const rows = Object.entries(properties).map(([name, property]) => {
    const { value } = markdownOf(property);
    const anchor = headingOf(name, owner).replaceAll("`", "").replaceAll(" ", "-").toLowerCase();
    const link = `[${code(name)}](${repository}/blob/main/docs/reference/resources.md#${anchor})`;
    return `| ${link} | ${shortType(property)} | ${required.includes(name) ? "required" : value} |`;
  });
  return ["| argument | type | default |", "|---|---|---|", ...rows].join("\n");
}

/**
 * Returns a table of the fields of an interface with their comments.
 * @param {string} file @param {string} name
 */
function commentTable(file, name) {
  const fields = fieldsOf(checker.getDeclaredTypeOfSymbol(exportedSymbol(file, name)));
  const rows = [...fields].map(([field, { symbol, required }]) => {
    const tag = symbol.getJsDocTags(checker).find((each) => each.name === "default");
    const text = documentation(symbol);
    const [, inText = ""] = /Default: (.*)\.$/.exec(text) ?? [];
    const value = tag ? code(ts.displayPartsToString(tag.text)) : inText;
    const about = text.replace(/ ?Default: .*/, "");
    return `| ${code(field)} | ${required ? "required" : value} | ${about} |`;
  });
  return ["| field | default | |", "|---|---|---|", ...rows].join("\n");
}

/** @param {TypeSpec} spec */
function namedType({ $ref }) {
  return $ref === undefined ? undefined : types[$ref.replace("#/types/", "")];
}

/**
 * Returns a type for a table, such as the values of an enum or the fields of an object.
 * @param {TypeSpec} spec
 * @returns {string}
 */
function typeText(spec) {
  if (spec.items !== undefined) return `list of ${typeText(spec.items)}`;
  const named = namedType(spec);
  if (named === undefined) return code(spec.type ?? "any");
  if (named.enum !== undefined) return named.enum.map(({ value }) => code(`"${value}"`)).join(", ");
  const fields = Object.entries(named.properties ?? {}).map(([name, property]) => {
    const field = code(named.required?.includes(name) ? name : `${name}?`);
    return namedType(property) === undefined ? field : `${field} (${typeText(property)})`;
  });
  return fields.join(", ");
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
