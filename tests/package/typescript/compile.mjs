// @ts-check
/**
 * Compiles the programs in a folder with one version of TypeScript, once for each kind of module
 * resolution, and prints the errors.
 *
 * Usage: node compile.mjs <folder of TypeScript> <folder of the programs> [<module resolution>]
 */
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [compiler = "", folder = "", only] = process.argv.slice(2);
/** @type {typeof import("typescript")} */
const ts = createRequire(import.meta.url)(path.resolve(compiler));

/** @type {readonly (readonly [module: string, moduleResolution: string])[]} */
const kinds = [
  ["commonjs", "node"],
  ["node16", "node16"],
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
];

/** The packages whose declarations must compile. */
const packages = /\/node_modules\/(pulumi-clouddb|clouddb-connection-strings|clouddb-simulator)\//;

/** @type {Map<string, import("typescript").SourceFile | undefined>} */
const parsed = new Map();

const programs = readdirSync(folder)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => path.join(folder, name));

for (const [module, moduleResolution] of kinds) {
  if (only !== undefined && only !== moduleResolution) continue;
  for (const error of errorsOf(module, moduleResolution)) {
    console.log(`${moduleResolution}: ${error}`);
  }
}

/**
 * Returns the errors in the programs and in the declarations of the packages. `skipLibCheck` is off, but
 * declarations of other packages are not judged.
 * @param {string} module
 * @param {string} moduleResolution
 */
function errorsOf(module, moduleResolution) {
  const { options, errors } = ts.convertCompilerOptionsFromJson(
    {
      module,
      moduleResolution,
      target: "es2022",
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: ["node"],
      // TypeScript 6.0 has deprecated the resolution "node", which is Pulumi's default.
      ...(ts.version.startsWith("6.") ? { ignoreDeprecations: "6.0" } : {}),
    },
    folder,
  );
  const program = ts.createProgram(programs, options, hostFor(options));
  const files = program
    .getSourceFiles()
    .filter(({ fileName }) => programs.includes(fileName) || packages.test(fileName));
  const declarations = files.filter(({ fileName }) => packages.test(fileName));
  return [
    ...(declarations.length === 0 ? ["no declaration of the packages was found"] : []),
    ...[
      ...errors,
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...files.flatMap((each) => [
        ...program.getSyntacticDiagnostics(each),
        ...program.getSemanticDiagnostics(each),
      ]),
    ].map((each) => {
      const text = ts.flattenDiagnosticMessageText(each.messageText, "\n");
      return `${each.file?.fileName ?? ""}: TS${each.code} ${text}`;
    }),
    ...declarations.flatMap(foreignImports),
  ];
}

/**
 * Returns the imports of types that users may not have.
 * @param {import("typescript").SourceFile} file a declaration of the packages
 */
function foreignImports({ fileName, text }) {
  const own = /^(\.|clouddb-connection-strings|@pulumi\/pulumi\/)/;
  return ts
    .preProcessFile(text)
    .importedFiles.filter((imported) => !own.test(imported.fileName))
    .map((imported) => `${fileName} imports ${imported.fileName}`);
}

/**
 * Creates a compiler host that parses each declaration once for all kinds of module resolution.
 * @param {import("typescript").CompilerOptions} options
 */
function hostFor(options) {
  const host = ts.createCompilerHost(options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (fileName, version, ...rest) => {
    const format = typeof version === "object" ? version.impliedNodeFormat : undefined;
    const key = `${fileName}:${format ?? ""}`;
    const file = parsed.get(key) ?? getSourceFile(fileName, version, ...rest);
    parsed.set(key, file);
    return file;
  };
  return host;
}
