/** plugin/schema.json, which is written by hand, beside the types and comments of the packages. */
import assert from "node:assert/strict";
import { join } from "node:path";
import ts from "typescript";
import schema from "../../../plugin/schema.json";
import { defaults } from "../../../provider/src/clusterConnectionStrings/args";

interface Property {
  readonly type?: string;
  readonly $ref?: string;
  readonly items?: Property;
  readonly description?: string;
  readonly secret?: boolean;
  readonly willReplaceOnChanges?: boolean;
  readonly default?: unknown;
}

/** What both the schema and the code must say about each property, such as `string, required: The ID of the project.`. */
type Summary = Readonly<Record<string, string>>;

function summarize(
  type: string,
  marks: Readonly<Record<string, boolean | undefined>>,
  comment = "",
): string {
  const names = Object.keys(marks).filter((mark) => marks[mark]);
  return `${[type, ...names].join(", ")}: ${firstSentence(comment)}`;
}

/** Returns the first sentence of a comment or description, without what only readers of the code understand. */
function firstSentence(text: string): string {
  const plain = text
    .replace(/\s+/g, " ")
    .replace(/ \(service document[^)]*\)/g, "")
    .replace(/\{@link (\w+)\}/g, "`$1`")
    .replace(/\bundefined\b/g, "absent")
    .trim();
  return /^.*?\.(?= |$)/.exec(plain)?.[0] ?? plain;
}

function without(mark: "required" | "replaces", summary: Summary): Summary {
  const entries = Object.entries(summary);
  return Object.fromEntries(entries.map(([name, line]) => [name, line.replace(`, ${mark}`, "")]));
}

function inSchema({
  properties,
  required = [],
}: {
  readonly properties: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}): Summary {
  const lines = Object.entries(properties).map(([name, property]): [string, string] => {
    const { description, secret, willReplaceOnChanges: replaces } = property;
    const marks = { required: required.includes(name), secret, replaces };
    return [name, summarize(typeInSchema(property), marks, description)];
  });
  return Object.fromEntries(lines);
}

function typeInSchema({ type = "", $ref, items }: Property): string {
  if (items !== undefined) return `${typeInSchema(items)}[]`;
  if ($ref === undefined) return type === "integer" ? "number" : type;
  assert.ok($ref.replace("#/types/", "") in schema.types, `${$ref} is missing`);
  return nameIn($ref);
}

/** Returns the name at the end of a token. */
function nameIn(token: string): string {
  return token.split(":").at(-1) ?? "";
}

const root = join(__dirname, "..", "..", "..");
const files = ["connection-strings", "plugin", "provider"].flatMap((folder) =>
  ts.sys.readDirectory(join(root, folder, "src"), [".ts"]),
);
const program = ts.createProgram(files, {
  strict: true,
  module: ts.ModuleKind.Node16,
  paths: { "clouddb-connection-strings": [join(root, "connection-strings", "src", "index.ts")] },
  // Reads only these files. Other packages would take seconds.
  noResolve: true,
});
const checker = program.getTypeChecker();
const exported = new Map(
  files
    .flatMap((file) => program.getSourceFile(file) ?? [])
    .flatMap((file) => checker.getSymbolAtLocation(file) ?? [])
    .flatMap((module) => checker.getExportsOfModule(module))
    .filter(({ flags }) => (flags & ts.SymbolFlags.Alias) === 0)
    .map((symbol) => [symbol.name, symbol]),
);

/** Returns an exported symbol. NetworkKind, which only the schema has, is the type of `kind` in the union Network. */
function symbolOf(name: string): ts.Symbol {
  const symbol = exported.get(name) ?? exported.get(name.replace(/Kind$/, ""));
  assert.ok(symbol !== undefined, `the packages export no ${name}`);
  return symbol;
}

function commentOf(symbol: ts.Symbol): string {
  return firstSentence(ts.displayPartsToString(symbol.getDocumentationComment(checker)));
}

/** Summarizes the properties of a type, or those of all members of a union. */
function inCode(name: string): Summary {
  const type = checker.getDeclaredTypeOfSymbol(symbolOf(name));
  const members = type.isUnion() ? type.types : [type];
  const lines: Record<string, string> = {};
  for (const property of members.flatMap((member) => checker.getPropertiesOfType(member))) {
    const tags = property.getJsDocTags(checker).map((tag) => tag.name);
    const marks = {
      required: members.every((member) => isPresent(member.getProperty(property.name))),
      secret: tags.includes("secret"),
      replaces: tags.includes("replaces"),
    };
    lines[property.name] ??=
      type.isUnion() && property.name === "kind"
        ? summarize(`${name}Kind`, marks, "The kind, which determines the other fields.")
        : summarize(typeInCode(property), marks, commentOf(property));
  }
  return lines;
}

function isPresent(property: ts.Symbol | undefined): boolean {
  const type = property && checker.getTypeOfSymbol(property);
  return type !== undefined && checker.getNonNullableType(type) === type;
}

function typeInCode(property: ts.Symbol): string {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(property));
  const text = checker.typeToString(type).replace(/^readonly /, "");
  if (/^(?:Readonly<)?Record</.test(text)) return "object";
  return text === "true" ? "boolean" : text;
}

/** Returns the comments before the members of a union, by their text or their `kind`. */
function valuesInCode(name: string): Summary {
  const union = symbolOf(name).declarations?.find(ts.isTypeAliasDeclaration)?.type;
  assert.ok(union !== undefined && ts.isUnionTypeNode(union), `${name} is not a union`);
  const { text } = union.getSourceFile();
  const lines = union.types.map((member): [string, string] => {
    const type = checker.getTypeAtLocation(member);
    const kind = type.getProperty("kind");
    const value = kind === undefined ? type : checker.getTypeOfSymbol(kind);
    const [comment = ""] = text.slice(0, member.getStart()).split("/**").at(-1)?.split("*/") ?? [];
    return [
      value.isStringLiteral() ? value.value : "",
      firstSentence(comment.replace(/\n\s*\*/g, " ")),
    ];
  });
  return Object.fromEntries(lines);
}

describe("the schema of the plugin", () => {
  for (const [name, args, outputs] of [
    ["PrivateIpMode", "ModeArgs", "ModeArgs"],
    ["ClusterConnectionStrings", "LookupArgs", "GetConnectionStringsResult"],
    ["DatabaseUrl", "UrlArgs", "UrlOutputs"],
  ] as const) {
    it(`has the properties of ${name}, with their types and comments`, () => {
      const resource = schema.resources[`clouddb:index:${name}`];
      assert.equal(firstSentence(resource.description), commentOf(symbolOf(name)));
      const { inputProperties: properties, requiredInputs: required } = resource;
      assert.deepEqual(inSchema({ properties, required }), inCode(args));
      const all = { ...inCode(args), ...inCode(outputs) };
      assert.deepEqual(inSchema(resource), without("replaces", all));
    });
  }

  for (const [name, args, result, inTypeScript = name] of [
    ["getConnectionStrings", "GetConnectionStringsArgs", "GetConnectionStringsResult"],
    ["getClusters", "GetClustersArgs", "GetClustersResult"],
    ["classifyConnectionString", "ClassifyConnectionStringArgs", "Classification", "classify"],
  ] as const) {
    it(`has the arguments and results of ${name}, with their types and comments`, () => {
      const { description, inputs, outputs } = schema.functions[`clouddb:index:${name}`];
      assert.equal(firstSentence(description), commentOf(symbolOf(inTypeScript)));
      assert.deepEqual(inSchema(inputs), without("replaces", inCode(args)));
      assert.deepEqual(inSchema(outputs), inCode(result));
    });
  }

  for (const [token, type] of Object.entries(schema.types)) {
    const name = nameIn(token);
    it(`has the ${"enum" in type ? "values" : "properties"} of ${name}, with their comments`, () => {
      assert.equal(firstSentence(type.description), commentOf(symbolOf(name)));
      if (!("enum" in type)) {
        assert.deepEqual(inSchema(type), inCode(name));
        return;
      }
      const values = type.enum.map((one) => [one.value, firstSentence(one.description)]);
      assert.deepEqual(Object.fromEntries(values), valuesInCode(name));
    });
  }

  // None is required, because the environment can have it.
  it("has the settings, with their types and comments", () => {
    const settings = without("required", inCode("Settings"));
    assert.deepEqual(inSchema({ properties: schema.config.variables }), settings);
    assert.deepEqual(inSchema({ properties: schema.provider.inputProperties }), settings);
  });

  it("has the default of each argument of a lookup, unless it is an object", () => {
    const { inputProperties } = schema.resources["clouddb:index:ClusterConnectionStrings"];
    for (const [name, property] of Object.entries<Property>(inputProperties)) {
      const value = defaults[name];
      assert.equal(property.default, typeof value === "object" ? undefined : value, name);
    }
  });
});
