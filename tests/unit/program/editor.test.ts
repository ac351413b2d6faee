/** What an editor shows of the public API, by TypeScript's language service in a project made from the template. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { z } from "zod";

// The compiler separates folders with slashes on Windows, too.
const root = join(__dirname, "../../..").replaceAll("\\", "/");
const project = `${root}/examples/template`;
const { compilerOptions } = z
  .object({ compilerOptions: z.unknown() })
  .parse(JSON.parse(readFileSync(`${project}/tsconfig.json`, "utf8")));

/** Opens a program, in which `/*^*\/` stands before each name to point at. */
function open(text: string) {
  const file = `${project}/editor.ts`;
  const textOf = (name: string) => (name === file ? text : ts.sys.readFile(name));
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, project);
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const found = textOf(name);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => project,
    getCompilationSettings: () => options,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: textOf,
    directoryExists: (name) => ts.sys.directoryExists(name),
    getDirectories: (name) => ts.sys.getDirectories(name),
    realpath: (name) => ts.sys.realpath?.(name) ?? name,
  });
  const names = [...text.matchAll(/(?<=\/\*\^\*\/)\w+/g)];
  return {
    /** What the editor shows for each name: its type in one line, and its comment. */
    hovers: () =>
      names.map(({ index }) => {
        const { displayParts, documentation } = service.getQuickInfoAtPosition(file, index) ?? {};
        return {
          type: ts.displayPartsToString(displayParts).replaceAll(/\s+/g, " "),
          comment: ts.displayPartsToString(documentation),
        };
      }),
    problems: () =>
      service
        .getSemanticDiagnostics(file)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
    program: () => {
      const program = service.getProgram();
      assert.ok(program !== undefined);
      return program;
    },
  };
}

const imports = `import * as clouddb from "pulumi-clouddb";
import * as pulumi from "@pulumi/pulumi";
const projectId = "64a0c0ffee0000000000a001";
declare const config: pulumi.Config;
`;

describe("an editor", function () {
  this.timeout(60_000);

  it("shows the first paragraph of a class for its constructor", () => {
    const classes = ["ClusterConnectionStrings", "DatabaseUrl", "PrivateIpMode", "Provider"];
    const uses = classes.map(
      (name) => `declare const a${name}: clouddb./*^*/${name};
new clouddb./*^*/${name}("name", {} as never);`,
    );
    const hovers = open(imports + uses.join("\n")).hovers();
    assert.equal(hovers.length, 2 * classes.length);
    for (const [at, name] of classes.entries()) {
      const [ofClass, ofConstructor] = hovers.slice(2 * at);
      const [paragraph = ""] = ofClass?.comment.split("\n\n") ?? [];
      assert.ok(paragraph.length > 20, name);
      assert.equal(ofConstructor?.comment, paragraph);
      assert.doesNotMatch(ofConstructor.type, /overload/);
    }
  });

  it("shows the type of network by its name, and its comment", () => {
    const args = '{ projectId, clusterName: "orders", /*^*/network: { kind: "peering" } }';
    const uses = [
      `new clouddb.ClusterConnectionStrings("orders", ${args});`,
      `clouddb.getConnectionStringsOutput(${args});`,
      `clouddb.getClustersOutput({ projectId, /*^*/network: { kind: "peering" } });`,
    ];
    for (const { type, comment } of open(imports + uses.join("\n")).hovers()) {
      assert.match(
        type,
        /^\(property\) [\w.]*network\?: (pulumi\.)?Input<(clouddb\.)?NetworkArgs \| undefined>$/,
      );
      assert.equal(comment, "The network that the application runs in.");
    }
  });

  it("says which credentials of a provider exclude each other", () => {
    const secret = 'config.requireSecret("secret")';
    const { problems } = open(`${imports}
new clouddb.Provider("a", { publicKey: "a", privateKey: ${secret}, clientId: config.require("id") });
new clouddb.Provider("b", { accessToken: ${secret}, clientSecret: ${secret}, clientId: "c" });
new clouddb.Provider("c", { clientId: "c", clientSecret: ${secret}, accessToken: "token" });`);
    const messages = problems();
    for (const [keys, count] of [
      ["publicKey and privateKey", 1],
      ["accessToken", 2],
      ["clientId and clientSecret", 1],
    ] as const) {
      const found = messages.filter((message) =>
        message.includes(
          `not assignable to type '(typeof Mixed)["cannot be combined with ${keys}"]`,
        ),
      );
      assert.equal(found.length, count, messages.join("\n"));
    }
    assert.equal(messages.length, 4, messages.join("\n"));
  });

  it("accepts one kind of credentials, and requires the arguments of a lookup", () => {
    const { problems } = open(`${imports}
new clouddb.Provider("a", { publicKey: "a", privateKey: config.requireSecret("key"), baseUrl: "https://b" });
new clouddb.Provider("b", { clientId: "a", clientSecret: config.requireSecret("secret") });
new clouddb.Provider("c", { accessToken: "a", clientId: undefined });
new clouddb.Provider("d", { baseUrl: "https://b" });
new clouddb.Provider("e");
new clouddb.ClusterConnectionStrings("orders", undefined);`);
    assert.deepEqual(problems(), [
      "Argument of type 'undefined' is not assignable to parameter of type 'ClusterConnectionStringsArgs'.",
    ]);
  });

  it("shows no tag of a comment as text", () => {
    const program = open(imports).program();
    const checker = program.getTypeChecker();
    const index = program.getSourceFile(`${root}/provider/dist/index.d.ts`);
    const module = index && checker.getSymbolAtLocation(index);
    assert.ok(module !== undefined);
    const comments = checker
      .getExportsOfModule(module)
      .flatMap((symbol) => commentsOf(checker, symbol));
    assert.ok(comments.length > 100);
    const raw = comments.filter((parts) => {
      const tags = parts.filter(({ text }) => text.includes("{@")).length;
      return tags !== parts.filter(({ kind }) => kind === "linkName").length;
    });
    assert.deepEqual(raw.map(ts.displayPartsToString), []);
  });
});

/** Returns the comments of an exported symbol and of all members that this repository declares, each as its parts. */
function commentsOf(checker: ts.TypeChecker, exported: ts.Symbol): ts.SymbolDisplayPart[][] {
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
  const types = [checker.getDeclaredTypeOfSymbol(symbol), checker.getTypeOfSymbol(symbol)];
  const members = types.flatMap((type) => [
    ...type.getProperties(),
    ...type.getConstructSignatures(),
    ...type.getCallSignatures(),
  ]);
  const isOurs = ({ fileName }: ts.SourceFile) => !fileName.includes("/node_modules/");
  return [symbol, ...members]
    .filter((member) => {
      const declarations =
        "getDeclaration" in member ? [member.getDeclaration()] : member.declarations;
      return declarations?.some((declaration) => isOurs(declaration.getSourceFile())) === true;
    })
    .flatMap((member) => [
      member.getDocumentationComment(checker),
      ...member.getJsDocTags(checker).map(({ text = [] }) => text),
    ]);
}
