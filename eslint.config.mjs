// Types and correctness are ESLint's; layout is Biome's (biome.json).
import eslint from "@eslint/js";
import { defineConfig } from "eslint/config";
import jsdoc from "eslint-plugin-jsdoc";
import tseslint from "typescript-eslint";

/** Functions whose parameters and results must be documented. */
const exportedFunctions = [
  "ExportNamedDeclaration > FunctionDeclaration",
  "ExportNamedDeclaration > VariableDeclaration > VariableDeclarator > ArrowFunctionExpression",
];

export default defineConfig(
  { ignores: ["**/dist/", "**/node_modules/", ".clouddb/", "coverage/"] },
  eslint.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  {
    files: ["{connection-strings,provider,plugin,simulator}/src/**/*.ts"],
    plugins: { jsdoc },
    settings: { jsdoc: { mode: "typescript" } },
    rules: {
      "jsdoc/require-jsdoc": [
        "error",
        {
          publicOnly: true,
          enableFixer: false,
          require: {
            FunctionDeclaration: true,
            ArrowFunctionExpression: true,
            ClassDeclaration: true,
          },
          contexts: [
            "TSInterfaceDeclaration",
            "TSTypeAliasDeclaration",
            "ExportNamedDeclaration > VariableDeclaration",
            "TSPropertySignature",
          ],
        },
      ],
      "jsdoc/require-description": "error",
      "jsdoc/check-param-names": ["error", { checkDestructured: false }],
      "jsdoc/check-tag-names": "error",
      "jsdoc/no-types": "error",
    },
  },
  {
    files: ["simulator/src/simulator.ts"],
    plugins: { jsdoc },
    rules: {
      "jsdoc/require-param": ["error", { contexts: exportedFunctions, checkDestructured: false }],
      "jsdoc/require-returns": ["error", { contexts: exportedFunctions }],
    },
  },
  {
    // The files whose functions the packages export to users. Elsewhere, one sentence is enough.
    files: [
      "connection-strings/src/{classification,clusterStrings,credentials,legacy,optimizedSrv}.ts",
      "connection-strings/src/{parsing,providerChange,selection}.ts",
      "provider/src/clusterConnectionStrings/{functions,resource}.ts",
      "provider/src/privateIpMode/{functions,resource}.ts",
      "provider/src/program/provider.ts",
    ],
    plugins: { jsdoc },
    rules: {
      "jsdoc/require-param": ["error", { contexts: exportedFunctions, checkDestructured: false }],
      "jsdoc/require-returns": ["error", { contexts: exportedFunctions }],
      "jsdoc/require-example": [
        "error",
        { contexts: [...exportedFunctions, "ExportNamedDeclaration > ClassDeclaration"] },
      ],
    },
  },
  {
    files: ["simulator/page/*.js"],
    languageOptions: {
      globals: {
        document: "readonly",
        fetch: "readonly",
        navigator: "readonly",
        Node: "readonly",
        setTimeout: "readonly",
      },
    },
  },
  {
    files: ["**/*.mjs"],
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        URL: "readonly",
        setTimeout: "readonly",
        AbortController: "readonly",
        AbortSignal: "readonly",
        fetch: "readonly",
      },
    },
  },
  {
    files: ["**/*.cjs"],
    languageOptions: {
      sourceType: "commonjs",
      globals: { process: "readonly", __dirname: "readonly" },
    },
  },
  {
    files: ["examples/tests-with-simulator/*.js"],
    languageOptions: {
      sourceType: "commonjs",
      globals: Object.fromEntries(
        [
          ...["Buffer", "URL", "URLSearchParams", "setTimeout", "describe", "it", "test", "expect"],
          ...["before", "beforeAll", "beforeEach", "afterEach", "after", "afterAll"],
        ].map((name) => [name, "readonly"]),
      ),
    },
  },
);
