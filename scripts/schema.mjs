// @ts-check
/** The schema of the plugin's package, from the types of the packages and their JSDoc. */
import fs from "node:fs";
import path from "node:path";
import ts from "typescript";
import { examples } from "./referenceExamples.mjs";
import { root } from "./workspace.mjs";

/**
 * @typedef {{ $ref?: string, type?: string, items?: Property, additionalProperties?: Property }} TypeSpec
 * @typedef {TypeSpec & { description?: string, secret?: boolean, willReplaceOnChanges?: boolean,
 *   default?: string | number | boolean }} Property
 * @typedef {{ type: string, description: string, enum?: { value: string, description: string }[],
 *   properties?: Record<string, Property>, required?: string[] }} NamedType
 * @typedef {{ symbol: ts.Symbol, node: ts.TypeNode | undefined, required: boolean }} Field
 */

const repository = "https://github.com/pulumi-clouddb/pulumi-clouddb";

const program = ts.createProgram(
  ["provider/src/index.ts", "plugin/src/pluginFunctions.ts", "simulator/src/seed/cluster.ts"].map(
    (file) => path.join(root, file),
  ),
  {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: ["node"],
    // Declarations in dist may be stale.
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
export const types = {};

/**
 * Returns the declaration of a name in a file.
 * @param {string} file
 * @param {string} name
 */
function exportedSymbol(file, name) {
  const source = program.getSourceFile(path.join(root, file));
  const symbol = source && checker.getSymbolAtLocation(source);
  const found =
    symbol && checker.getExportsOfModule(symbol).find((exported) => exported.name === name);
  if (found === undefined) throw new Error(`${file} exports no ${name}`);
  return found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
}

/**
 * Returns a comment with one line per paragraph. Omits links and references to service.md, and replaces "undefined"
 * with "absent".
 * @param {string} comment
 */
function plainText(comment) {
  return comment
    .replace(/\s*\(service\s+document[^)]*\)/g, "")
    .replace(/\{@link (\w+)\}/g, "`$1`")
    .replace(/(?<!\n)\n(?!\n)/g, " ")
    .replace(/\bundefined\b/g, "absent")
    .trim();
}

/** @param {ts.Symbol} symbol */
function documentation(symbol) {
  const text = plainText(ts.displayPartsToString(symbol.getDocumentationComment(checker)));
  if (text === "") throw new Error(`${symbol.name} has no comment`);
  // A class that is merged with an interface has the comments of both.
  const own = symbol.declarations?.find(ts.isClassDeclaration);
  const [comment] = own === undefined ? [] : ts.getJSDocCommentsAndTags(own);
  return comment === undefined ? text : plainText(ts.getTextOfJSDocComment(comment.comment) ?? "");
}

/**
 * Returns the comment before a member of a union.
 * @param {ts.TypeNode} node
 */
function commentBefore(node) {
  const { text } = node.getSourceFile();
  const end = text.lastIndexOf("*/", node.getStart());
  const start = text.lastIndexOf("/**", end);
  return plainText(text.slice(start + 3, end).replace(/\n\s*\*/g, "\n"));
}

/**
 * Returns the fields of an interface, or one field for each name in a union of interfaces.
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
      const everywhere = members.every((type) => type.getProperty(symbol.name) !== undefined);
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
 * Returns the type of a property in the terms of the plugin's schema. A number is an integer, unless the property has
 * the tag `@fraction`.
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
 * Returns the property `kind` of a union as an enum. Its values have the comments of the members.
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
  const description = "The kind, which determines the other fields.";
  return { $ref: `#/types/${token}`, description };
}

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
    const tags = field.symbol.getJsDocTags(checker);
    const has = (/** @type {string} */ tag) => tags.some((candidate) => candidate.name === tag);
    const textOf = (/** @type {string} */ tag) =>
      ts.displayPartsToString(tags.find((candidate) => candidate.name === tag)?.text);
    const text = textOf("default");
    const example = textOf("example");
    const value = text.replace(/^(".*"|\{.*\})$/, (all) => code(all.replace(/^"(.*)"$/, "$1")));
    const isDefault = value !== "" && value !== "none";
    const [constant] = /^("[^"]*"|\d+)(?=,|$)/.exec(text) ?? [];
    const isSecret = has("secret");
    const replaces = has("replaces") && !isFunction;
    const description = [
      documentation(field.symbol),
      ...(replaces ? ["A change replaces the resource."] : []),
      ...(isSecret ? ["Secret."] : []),
      ...(isDefault ? [`Default: ${value}.`] : []),
      ...(isSetting ? [`Environment variable: \`${variableOf(name)}\`.`] : []),
      ...(example === "" ? [] : [`Example: ${code(example)}.`]),
    ].join(" ");
    const kind = name === "kind" && type.isUnion() && type.aliasSymbol && kindOf(type.aliasSymbol);
    /** @type {Property} */
    const property = kind || {
      ...specOf(field.node),
      ...(has("fraction") ? { type: "number" } : {}),
      ...(isSecret ? { secret: true } : {}),
      ...(replaces ? { willReplaceOnChanges: true } : {}),
      ...(constant === undefined ? {} : { default: JSON.parse(constant) }),
      description,
    };
    properties[name] = property;
    if (field.required) required.push(name);
  }
  return { properties, required };
}

/** @param {string} name */
export function tokenOf(name) {
  return `clouddb:index:${name}`;
}

/** @param {string} key */
function variableOf(key) {
  return `CLOUDDB_${key.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/** @param {string} text */
export function code(text) {
  return `\`${text}\``;
}

/** @param {string} file @param {string} name */
function typeOf(file, name) {
  return checker.getDeclaredTypeOfSymbol(exportedSymbol(file, name));
}

/**
 * Returns properties without the fields that apply only to inputs.
 * @param {Record<string, Property>} properties
 * @param {...string} omitted
 * @returns {Record<string, Property>}
 */
function without(properties, ...omitted) {
  return JSON.parse(
    JSON.stringify(properties, (key, value) => (omitted.includes(key) ? undefined : value)),
  );
}

export const settings = objectOf(typeOf("provider/src/settings/settings.ts", "Settings"), {
  isSetting: true,
}).properties;

/** The outputs of each resource that are not arguments. @type {Map<string, ReturnType<typeof objectOf>>} */
export const outputs = new Map();

/**
 * Describes a resource of the plugin.
 * @param {string} name
 * @param {string} folder
 * @param {string} args the name of the type in args.ts
 * @param {[file: string, type: string]} computed
 * @param {string} [id] the ID for an import
 */
function resource(name, folder, args, [file, type], id) {
  const inputs = objectOf(typeOf(`${folder}/args.ts`, args));
  const outs = objectOf(typeOf(`${folder}/${file}`, type));
  outputs.set(name, outs);
  const all = { ...outs.properties, ...inputs.properties };
  const properties = without(all, "willReplaceOnChanges", "default");
  const command = `pulumi import ${tokenOf(name)} <name> ${id}`;
  const imported = id === undefined ? "" : `\n## Import\n\n\`\`\`sh\n${command}\n\`\`\`\n`;
  const documented = documentation(exportedSymbol(`${folder}/resource.ts`, name));
  return {
    description: `${documented}\n\n${examples(name)}${imported}`,
    inputProperties: inputs.properties,
    requiredInputs: inputs.required,
    properties,
    required: [...new Set([...inputs.required, ...outs.required])],
    stateInputs: { description: `The recorded state of a ${name}.`, type: "object", properties },
    aliases: [{ type: `pulumi-nodejs:dynamic/clouddb:${name}` }],
  };
}

/**
 * Describes a function of the plugin.
 * @param {string} name @param {ts.Symbol} documented @param {ts.Type} inputs @param {ts.Type} outputs
 */
function pluginFunction(name, documented, inputs, outputs) {
  const isFunction = true;
  return {
    description: `${documentation(documented)}\n\n${examples(name)}`,
    inputs: objectOf(inputs, { isFunction }),
    outputs: objectOf(outputs, { isFunction }),
  };
}

const mode = "provider/src/privateIpMode";
const lookup = "provider/src/clusterConnectionStrings";
const databaseUrl = "provider/src/databaseUrl";
export const resources = {
  PrivateIpMode: resource(
    "PrivateIpMode",
    mode,
    "ModeArgs",
    ["args.ts", "ModeArgs"],
    "<projectId>",
  ),
  ClusterConnectionStrings: resource(
    "ClusterConnectionStrings",
    lookup,
    "LookupArgs",
    ["outputs.ts", "GetConnectionStringsResult"],
    "<projectId>/<clusterName>",
  ),
  DatabaseUrl: resource("DatabaseUrl", databaseUrl, "UrlArgs", ["outputs.ts", "UrlOutputs"]),
};

const strings = "connection-strings/src/index.ts";
export const functions = {
  getConnectionStrings: pluginFunction(
    "getConnectionStrings",
    exportedSymbol(`${lookup}/functions.ts`, "getConnectionStrings"),
    typeOf(`${lookup}/args.ts`, "GetConnectionStringsArgs"),
    typeOf(`${lookup}/outputs.ts`, "GetConnectionStringsResult"),
  ),
  getClusters: pluginFunction(
    "getClusters",
    exportedSymbol(`${lookup}/functions.ts`, "getClusters"),
    typeOf(`${lookup}/args.ts`, "GetClustersArgs"),
    typeOf(`${lookup}/outputs.ts`, "GetClustersResult"),
  ),
  classifyConnectionString: pluginFunction(
    "classifyConnectionString",
    exportedSymbol(strings, "classify"),
    typeOf("plugin/src/pluginFunctions.ts", "ClassifyConnectionStringArgs"),
    typeOf(strings, "Classification"),
  ),
};

/** @type {{ version: string, license: string }} */
const { version, license } = JSON.parse(
  fs.readFileSync(path.join(root, "plugin/package.json"), "utf8"),
);
export const schema = {
  name: "clouddb",
  displayName: "CloudDB",
  version,
  description:
    "Private IP mode and cluster connection strings of a managed cloud database service.",
  keywords: ["pulumi", "clouddb", "category/database", "kind/native"],
  homepage: repository,
  license,
  repository,
  logoUrl: `${repository.replace("github.com", "raw.githubusercontent.com")}/main/plugin/logo.svg`,
  publisher: "pulumi-clouddb",
  pluginDownloadURL: repository.replace("https://github.com", "github://api.github.com"),
  // The environment and the profile can replace the defaults of settings.
  config: { variables: without(settings, "default") },
  provider: {
    description:
      "Settings for the resources and functions that use this provider, such as the credentials of a second organization. Settings that are not given are read from the environment.",
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
      importBasePath: `${repository.replace("https://", "")}/sdk/go/clouddb`,
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
      dependencies: { "com.pulumi:pulumi": "[1,2)" },
    },
  },
};

/** @param {Record<string, unknown>} all */
function byToken(all) {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [tokenOf(name), value]));
}
