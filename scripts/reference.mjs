// @ts-check
/**
 * Generates plugin/schema.json and parts of Markdown files from the types of the packages and their JSDoc:
 * sections with a heading for each argument, output and setting in docs/reference, and tables in READMEs.
 * `npm run lint` fails if one of them is stale; `npm run lint -- --fix` rewrites them. A part is between
 * `<!-- reference: <name> -->` and `<!-- end -->`.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import ts from "typescript";
import { examples } from "./referenceExamples.mjs";
import { installed, root } from "./workspace.mjs";

/**
 * @typedef {{ $ref?: string, type?: string, items?: Property, additionalProperties?: Property }} TypeSpec
 * @typedef {TypeSpec & { description?: string, secret?: boolean, willReplaceOnChanges?: boolean,
 *   default?: string | number | boolean }} Property
 * @typedef {{ type: string, description: string, enum?: { value: string, description?: string }[],
 *   properties?: Record<string, Property>, required?: string[] }} NamedType
 * @typedef {{ symbol: ts.Symbol, node: ts.TypeNode | undefined, required: boolean }} Field
 */

const markdown = [
  "docs/reference/resources.md",
  "docs/reference/settings.md",
  "provider/README.md",
  "simulator/README.md",
];
const repository = "https://github.com/pulumi-clouddb/pulumi-clouddb";
const schemaFile = path.join(root, "plugin", "schema.json");

const program = ts.createProgram(
  [
    "provider/src/index.ts",
    "plugin/src/functions.ts",
    "plugin/src/databaseUrl.ts",
    "simulator/src/seed/cluster.ts",
  ].map((file) => path.join(root, file)),
  {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: ["node"],
    // Declarations in dist would be those of the last build.
    paths: {
      "clouddb-connection-strings": [path.join(root, "connection-strings/src/index.ts")],
      "clouddb-connection-strings/credentials": [
        path.join(root, "connection-strings/src/credentials.ts"),
      ],
    },
  },
);
const checker = program.getTypeChecker();

/** The types that properties refer to, by their tokens. @type {Record<string, NamedType>} */
const types = {};

/**
 * Returns the declaration of a name in a file.
 * @param {string} file
 * @param {string} name
 */
function declared(file, name) {
  const source = program.getSourceFile(path.join(root, file));
  const symbol = source && checker.getSymbolAtLocation(source);
  const found = symbol && checker.getExportsOfModule(symbol).find((each) => each.name === name);
  if (found === undefined) throw new Error(`${file} exports no ${name}`);
  return found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
}

/**
 * Returns the text of a comment on one line per paragraph, without references to service.md and links, and
 * with "absent" instead of "undefined".
 * @param {string} comment
 */
function plain(comment) {
  return comment
    .replace(/\s*\(service\s+document[^)]*\)/g, "")
    .replace(/\{@link (\w+)\}/g, "`$1`")
    .replace(/(?<!\n)\n(?!\n)/g, " ")
    .replace(/\bundefined\b/g, "absent")
    .trim();
}

/** @param {ts.Symbol} symbol */
function documentation(symbol) {
  const text = plain(ts.displayPartsToString(symbol.getDocumentationComment(checker)));
  if (text === "") throw new Error(`${symbol.name} has no comment`);
  // A class that is merged with an interface has the comments of both.
  const own = symbol.declarations?.find(ts.isClassDeclaration);
  const [comment] = own === undefined ? [] : ts.getJSDocCommentsAndTags(own);
  return comment === undefined ? text : plain(ts.getTextOfJSDocComment(comment.comment) ?? "");
}

/**
 * Returns the comment before a member of a union.
 * @param {ts.TypeNode} node
 */
function commentBefore(node) {
  const text = node.getSourceFile().text;
  const [range] = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
  // A bar may be between the comment and the member.
  const bar = text.lastIndexOf("*/", node.getStart());
  const end = range?.end ?? bar + 2;
  const start = range?.pos ?? text.lastIndexOf("/**", end);
  return plain(text.slice(start + 3, end - 2).replace(/\n\s*\*/g, "\n"));
}

/**
 * Returns the fields of an interface, or of a union of interfaces; the latter has one field for each name.
 * @param {ts.Type} type
 * @returns {Map<string, Field>}
 */
function fieldsOf(type) {
  const members = type.isUnion() ? type.types : [type];
  /** @type {Map<string, Field>} */
  const fields = new Map();
  for (const member of members) {
    for (const symbol of checker.getPropertiesOfType(member)) {
      const declaration = symbol.declarations?.find(ts.isPropertySignature);
      const everywhere = members.every((each) => each.getProperty(symbol.name) !== undefined);
      const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
      const known = fields.get(symbol.name);
      const required = everywhere && !isOptional && !mayBeUndefined(declaration?.type);
      fields.set(symbol.name, known ?? { symbol, node: declaration?.type, required });
    }
  }
  return fields;
}

/** @param {ts.TypeNode | undefined} node */
function mayBeUndefined(node) {
  return (
    node !== undefined &&
    ts.isUnionTypeNode(node) &&
    node.types.some(({ kind }) => kind === ts.SyntaxKind.UndefinedKeyword)
  );
}

/**
 * Returns the type of a property in the terms of the plugin's schema. Every number is an integer.
 * @param {ts.TypeNode} node
 * @returns {TypeSpec}
 */
function specOf(node) {
  if (ts.isTypeOperatorNode(node)) return specOf(node.type);
  if (ts.isArrayTypeNode(node)) return { type: "array", items: specOf(node.elementType) };
  if (ts.isUnionTypeNode(node)) {
    const present = node.types.filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword);
    const [only, ...others] = present;
    if (only === undefined || others.length > 0) throw new Error(`name the type ${node.getText()}`);
    return specOf(only);
  }
  if (ts.isTypeReferenceNode(node)) {
    const reference = node.typeName.getText();
    const [inner] = node.typeArguments ?? [];
    if (reference === "Readonly" && inner) return specOf(inner);
    if (reference === "Record") {
      return { type: "object", additionalProperties: { $ref: "pulumi.json#/Any" } };
    }
    // The names in a record, such as the profiles, have no comments: the comment of the property lists them.
    const alias = checker.getSymbolAtLocation(node.typeName);
    const target =
      alias && alias.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(alias) : alias;
    const declaration = target?.declarations?.find(ts.isTypeAliasDeclaration);
    if (declaration && ts.isTypeOperatorNode(declaration.type)) return { type: "string" };
    return { $ref: `#/types/${register(node)}` };
  }
  if (ts.isLiteralTypeNode(node)) {
    return { type: ts.isStringLiteral(node.literal) ? "string" : "boolean" };
  }
  const type = node.getText();
  return { type: type === "number" ? "integer" : type };
}

/**
 * Adds a named type, and returns its token. A union of literals is an enum, anything else an object.
 * @param {ts.TypeReferenceNode} node
 */
function register(node) {
  const alias = checker.getSymbolAtLocation(node.typeName);
  const isAlias = alias !== undefined && (alias.flags & ts.SymbolFlags.Alias) !== 0;
  const symbol = isAlias ? checker.getAliasedSymbol(alias) : alias;
  if (symbol === undefined) throw new Error(`unknown type ${node.getText()}`);
  const token = tokenOf(symbol.name === "Node" ? "ClusterNode" : symbol.name);
  if (token in types) return token;
  const description = documentation(symbol);
  const declaration = symbol.declarations?.find(ts.isTypeAliasDeclaration);
  const union = declaration && ts.isUnionTypeNode(declaration.type) ? declaration.type : undefined;
  if (union?.types.every(ts.isLiteralTypeNode)) {
    types[token] = enumOf(description, union.types, union.types);
    return token;
  }
  const declared = checker.getDeclaredTypeOfSymbol(symbol);
  const members = declared.isUnion() ? declared.types : [];
  const values = members.flatMap((each) => (each.isStringLiteral() ? [{ value: each.value }] : []));
  if (values.length > 0 && values.length === members.length) {
    types[token] = { type: "string", description, enum: values };
    return token;
  }
  /** @type {NamedType} */
  const named = { type: "object", description };
  types[token] = named;
  types[token] = { ...named, ...objectOf(declared) };
  return token;
}

/**
 * @param {string} description
 * @param {readonly ts.TypeNode[]} nodes the values
 * @param {readonly ts.TypeNode[]} commented the nodes after their comments
 * @returns {NamedType}
 */
function enumOf(description, nodes, commented) {
  const values = commented.map((node, index) => ({
    value: nodes[index]?.getText().slice(1, -1) ?? "",
    description: commentBefore(node),
  }));
  return { type: "string", description, enum: values };
}

/**
 * Returns the property `kind` of a union, an enum, whose values have the comments of the members.
 * @param {ts.Symbol} union
 * @returns {Property | undefined}
 */
function kindOf(union) {
  const node = union.declarations?.find(ts.isTypeAliasDeclaration)?.type;
  if (node === undefined || !ts.isUnionTypeNode(node)) return undefined;
  const kinds = node.types.map((member) => {
    const kind = checker.getTypeAtLocation(member).getProperty("kind");
    const value = kind?.declarations?.find(ts.isPropertySignature)?.type;
    if (value === undefined) throw new Error(`${member.getText()} has no kind`);
    return value;
  });
  const token = tokenOf(`${union.name}Kind`);
  types[token] = enumOf(documentation(union), kinds, node.types);
  const description = `The kind of ${union.name.toLowerCase()}.`;
  return { $ref: `#/types/${token}`, description };
}

/** The default of each documented property, for the Markdown files. @type {WeakMap<Property, string>} */
const defaults = new WeakMap();

/** The example of each documented property, for docs/reference. @type {WeakMap<Property, string>} */
const exampleOf = new WeakMap();

/**
 * Returns the properties of an object type.
 * @param {ts.Type} type
 * @param {{ isSetting?: boolean, isFunction?: boolean }} [kind]
 */
function objectOf(type, { isSetting = false, isFunction = false } = {}) {
  /** @type {Record<string, Property>} */
  const properties = {};
  const required = [];
  for (const [name, field] of fieldsOf(type)) {
    if (field.node === undefined) throw new Error(`${name} has no type`);
    const tag = field.symbol.getJsDocTags(checker).find((each) => each.name === "default");
    const text = ts.displayPartsToString(tag?.text);
    const value = text.replace(/^(".*"|\{.*\})$/, (all) => code(all.replace(/^"(.*)"$/, "$1")));
    const isDefault = value !== "" && value !== "none";
    const [constant] = /^("[^"]*"|\d+)(?=,|$)/.exec(text) ?? [];
    const replaces = "A change replaces the resource.";
    const comment = documentation(field.symbol);
    const description = [
      isFunction ? comment.replace(replaces, "").trim() : comment,
      ...(isDefault ? [`Default: ${value}.`] : []),
      ...(isSetting ? [`Environment variable: \`${variableOf(name)}\`.`] : []),
    ].join(" ");
    const kind = name === "kind" && type.isUnion() && type.aliasSymbol && kindOf(type.aliasSymbol);
    /** @type {Property} */
    const property = kind || {
      ...specOf(field.node),
      ...(/\bA secret\.$/.test(comment) ? { secret: true } : {}),
      ...(!isFunction && comment.includes(replaces) ? { willReplaceOnChanges: true } : {}),
      ...(constant === undefined ? {} : { default: JSON.parse(constant) }),
      description,
    };
    properties[name] = property;
    defaults.set(property, isDefault ? value : "");
    const example = field.symbol.getJsDocTags(checker).find((each) => each.name === "example");
    exampleOf.set(property, ts.displayPartsToString(example?.text));
    if (field.required) required.push(name);
  }
  return { properties, required };
}

/** @param {string} name */
function tokenOf(name) {
  return `clouddb:index:${name}`;
}

/** @param {string} key */
function variableOf(key) {
  return `CLOUDDB_${key.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/** @param {string} text */
function code(text) {
  return `\`${text}\``;
}

/** @param {string} file @param {string} name */
function typeOf(file, name) {
  return checker.getDeclaredTypeOfSymbol(declared(file, name));
}

/**
 * Returns properties without what only holds for inputs.
 * @param {Record<string, Property>} properties
 * @param {...string} omitted
 * @returns {Record<string, Property>}
 */
function without(properties, ...omitted) {
  return JSON.parse(
    JSON.stringify(properties, (key, value) => (omitted.includes(key) ? undefined : value)),
  );
}

const settings = objectOf(typeOf("provider/src/session/settings.ts", "Settings"), {
  isSetting: true,
}).properties;

/**
 * Describes a resource of the plugin.
 * @param {string} name
 * @param {ts.Symbol} documented
 * @param {ts.Type} args
 * @param {ts.Type} outputs
 * @param {string} [id] the ID for an import
 */
function resource(name, documented, args, outputs, id) {
  const inputs = objectOf(args);
  const outs = objectOf(outputs);
  const all = { ...outs.properties, ...inputs.properties };
  const properties = without(all, "willReplaceOnChanges", "default");
  const command = `pulumi import ${tokenOf(name)} <name> ${id}`;
  const imported = id === undefined ? "" : `\n## Import\n\n\`\`\`sh\n${command}\n\`\`\`\n`;
  return {
    description: `${documentation(documented)}\n\n${examples(name)}${imported}`,
    inputProperties: inputs.properties,
    requiredInputs: inputs.required,
    properties,
    required: [...new Set([...inputs.required, ...outs.required])],
    stateInputs: { description: `The recorded state of a ${name}.`, type: "object", properties },
    ...(id === undefined ? {} : { aliases: [{ type: `pulumi-nodejs:dynamic/clouddb:${name}` }] }),
  };
}

/**
 * Describes a function of the plugin.
 * @param {ts.Symbol} documented @param {ts.Type} inputs @param {ts.Type} outputs
 */
function pluginFunction(documented, inputs, outputs) {
  const isFunction = true;
  return {
    description: documentation(documented),
    inputs: objectOf(inputs, { isFunction }),
    outputs: objectOf(outputs, { isFunction }),
  };
}

const mode = "provider/src/privateIpMode";
const lookup = "provider/src/clusterConnectionStrings";
const databaseUrl = "plugin/src/databaseUrl.ts";
const resources = {
  PrivateIpMode: resource(
    "PrivateIpMode",
    declared(`${mode}/resource.ts`, "PrivateIpMode"),
    typeOf(`${mode}/args.ts`, "ModeArgs"),
    typeOf(`${mode}/args.ts`, "ModeOutputs"),
    "<projectId>",
  ),
  ClusterConnectionStrings: resource(
    "ClusterConnectionStrings",
    declared(`${lookup}/resource.ts`, "ClusterConnectionStrings"),
    typeOf(`${lookup}/args.ts`, "LookupArgs"),
    typeOf(`${lookup}/args.ts`, "GetConnectionStringsResult"),
    "<projectId>/<clusterName>",
  ),
  DatabaseUrl: resource(
    "DatabaseUrl",
    declared(databaseUrl, "databaseUrl"),
    typeOf(databaseUrl, "DatabaseUrlArgs"),
    typeOf(databaseUrl, "DatabaseUrlOutputs"),
  ),
};

const strings = "connection-strings/src/index.ts";
const functions = {
  getConnectionStrings: pluginFunction(
    declared(`${lookup}/functions.ts`, "getConnectionStrings"),
    typeOf(`${lookup}/args.ts`, "GetConnectionStringsArgs"),
    typeOf(`${lookup}/args.ts`, "GetConnectionStringsResult"),
  ),
  getClusters: pluginFunction(
    declared(`${lookup}/functions.ts`, "getClusters"),
    typeOf(`${lookup}/args.ts`, "GetClustersArgs"),
    typeOf(`${lookup}/args.ts`, "GetClustersResult"),
  ),
  getPrivateIpModeReadiness: pluginFunction(
    declared(`${mode}/functions.ts`, "getPrivateIpModeReadiness"),
    typeOf(`${mode}/functions.ts`, "PrivateIpModeReadinessArgs"),
    typeOf("provider/src/index.ts", "PrivateIpModeReadiness"),
  ),
  classifyConnectionString: pluginFunction(
    declared(strings, "classify"),
    typeOf("plugin/src/functions.ts", "ClassifyConnectionStringArgs"),
    typeOf(strings, "Classification"),
  ),
};

/** @type {{ version: string, license: string, repository: { url: string } }} */
const { version, license, repository } = JSON.parse(
  fs.readFileSync(path.join(root, "plugin/package.json"), "utf8"),
);
const repositoryUrl = repository.url.replace(/^git\+|\.git$/g, "");
const schema = {
  name: "clouddb",
  displayName: "CloudDB",
  version,
  description:
    "Private IP mode and cluster connection strings of a managed cloud database service.",
  keywords: ["pulumi", "clouddb", "category/database", "kind/native"],
  homepage: repositoryUrl,
  license,
  repository: repositoryUrl,
  logoUrl: `${repositoryUrl.replace("github.com", "raw.githubusercontent.com")}/main/plugin/logo.svg`,
  publisher: "pulumi-clouddb",
  pluginDownloadURL: repositoryUrl.replace("https://github.com", "github://api.github.com"),
  config: { variables: settings },
  provider: {
    description:
      "Settings for the resources and functions that use this provider, such as the credentials of a second organization. Settings that are not given are read from the environment.",
    // An SDK would pass a default, which would replace the value of the environment.
    inputProperties: without(settings, "default"),
  },
  types,
  resources: byToken(resources),
  functions: byToken(functions),
  language: {
    nodejs: { packageName: "pulumi-clouddb-sdk", respectSchemaVersion: true },
    python: {
      packageName: "pulumi_clouddb",
      respectSchemaVersion: true,
      pyproject: { enabled: true },
    },
    go: {
      importBasePath: `${repositoryUrl.replace("https://", "")}/sdk/go/clouddb`,
      respectSchemaVersion: true,
      generateResourceContainerTypes: true,
      generateExtraInputTypes: true,
    },
    csharp: {
      rootNamespace: "PulumiCloudDb",
      namespaces: { clouddb: "Sdk" },
      packageReferences: { Pulumi: "3.*" },
      respectSchemaVersion: true,
    },
    java: {
      basePackage: "io.github.pulumiclouddb",
      packages: { clouddb: "clouddb" },
      buildFiles: "gradle",
      dependencies: { "com.pulumi:pulumi": "[1.0.0,2.0.0)" },
    },
  },
};

/** @param {Record<string, unknown>} all */
function byToken(all) {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [tokenOf(name), value]));
}

/** The outputs of the resources that are not arguments. */
const outputs = {
  PrivateIpMode: objectOf(typeOf(`${mode}/args.ts`, "ModeOutputs")),
  ClusterConnectionStrings: objectOf(typeOf(`${lookup}/args.ts`, "GetConnectionStringsResult")),
};

/** The generated parts of Markdown files by name. @type {Record<string, () => string>} */
const parts = {
  settings: () => sections(settings, []),
  "names of settings": () => table("setting", "settings.md", settings, []),
  "fields of a cluster": () => commentTable("simulator/src/seed/cluster.ts", "SeedCluster"),
  "clusters of getClusters": () => {
    const strings = Object.keys(outputs.ClusterConnectionStrings.properties);
    const { properties = {}, required = [] } = types[tokenOf("ListedCluster")] ?? {};
    const own = Object.entries(properties).filter(([name]) => !strings.includes(name));
    return list({ properties: Object.fromEntries(own), required });
  },
  "result of getPrivateIpModeReadiness": () => list(functions.getPrivateIpModeReadiness.outputs),
  ...Object.fromEntries(
    Object.entries(resources).flatMap(([name, { inputProperties, requiredInputs }]) => {
      const resource = /** @type {keyof typeof outputs} */ (name);
      const { properties, required } = outputs[resource];
      const computed = Object.entries(properties).filter(([each]) => !(each in inputProperties));
      return [
        [`arguments of ${name}`, () => sections(inputProperties, requiredInputs, name)],
        [
          `outputs of ${name}`,
          () => sections(Object.fromEntries(computed), required, name, "output"),
        ],
        [
          `names of arguments of ${name}`,
          () => table("argument", "resources.md", inputProperties, requiredInputs, name),
        ],
      ];
    }),
  ),
};

/** @param {string} name @param {string | undefined} owner */
function headingOf(name, owner) {
  return owner === undefined ? code(name) : `${code(name)} of ${owner}`;
}

/**
 * Returns a section for each property, with its type, default and example.
 * @param {Record<string, Property>} properties @param {readonly string[]} required
 * @param {string} [owner] the resource
 * @param {"argument" | "output"} [kind]
 */
function sections(properties, required, owner, kind = "argument") {
  return Object.entries(properties)
    .map(([name, property]) => {
      const { named, value, about } = described(property);
      const isRequired = required.includes(name);
      const absent = kind === "output" && !isRequired ? ", or absent" : "";
      const example = exampleOf.get(property) ?? "";
      const facts = [
        `Type: ${shortType(property)}${absent}.`,
        ...(kind === "argument" && isRequired ? ["Required."] : []),
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
  if (described(property).named?.properties === undefined) return typeText(property);
  return property.items === undefined ? "object" : "list of objects";
}

/**
 * Returns what the Markdown files show of a property.
 * @param {Property} property
 */
function described(property) {
  const named = namedType(property.items ?? property);
  const text = defaults.get(property) ?? "";
  const value = named?.enum === undefined ? text : text.replace(/^`(.*)`$/, '`"$1"`');
  const about = property.description?.replace(/ (Default|Environment variable): .*/, "") ?? "";
  return { named, value, about };
}

/**
 * Returns a list of the fields of an object.
 * @param {{ properties?: Record<string, Property>, required?: string[] }} type
 */
function list({ properties = {}, required = [] }) {
  return Object.entries(properties)
    .map(([name, property]) => {
      const absent = required.includes(name) ? "" : ", or absent";
      return `- ${code(name)} (${typeText(property)}${absent}): ${described(property).about}`;
    })
    .join("\n");
}

/**
 * Returns a table for a README on npm, whose names link to their sections.
 * @param {string} title @param {string} page in docs/reference
 * @param {Record<string, Property>} properties @param {readonly string[]} required
 * @param {string} [owner] the resource
 */
function table(title, page, properties, required, owner) {
  const rows = Object.entries(properties).map(([name, property]) => {
    const { value } = described(property);
    const anchor = headingOf(name, owner).replaceAll("`", "").replaceAll(" ", "-").toLowerCase();
    const link = `[${code(name)}](${repository}/blob/main/docs/reference/${page}#${anchor})`;
    return `| ${link} | ${shortType(property)} | ${required.includes(name) ? "required" : value} |`;
  });
  return [`| ${title} | type | default |`, "|---|---|---|", ...rows].join("\n");
}

/**
 * Returns a table of the fields of an interface with their comments.
 * @param {string} file @param {string} name
 */
function commentTable(file, name) {
  const fields = fieldsOf(checker.getDeclaredTypeOfSymbol(declared(file, name)));
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
 * Returns a type for a table: the values of an enum, or the fields of an object.
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
