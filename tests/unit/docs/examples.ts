/** The examples in TypeScript and JavaScript that users see, as complete files that the tests compile and run. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type CodeBlock, codeBlocks, pages } from "./markdown";

const root = join(__dirname, "../../..");

/**
 * How an example is tested. `program`: compiled in a project made from examples/template, and previewed. `script` and
 * `module`: compiled, and run with Node.js as CommonJS or as an ES module, which the page must then say. `test`: run
 * with node:test in such a project. `comment`: compiled as a program; an editor shows it beside a function or a class.
 */
export type Kind = "program" | "script" | "module" | "test" | "comment";

export interface Example extends CodeBlock {
  readonly kind: Kind;
  /** The complete file, in which the lines have the numbers that they have in the page. */
  readonly file: string;
}

/** What the text around an example introduces, in the order of their dependencies. */
const introduced: Readonly<Record<string, string>> = {
  pulumi: 'import * as pulumi from "@pulumi/pulumi";',
  clouddb: 'import * as clouddb from "pulumi-clouddb";',
  config: "const config = new pulumi.Config();",
  projectId: 'const projectId = "64a0c0ffee0000000000a001";',
  project: 'const project = new pulumi.StackReference("project");',
  publicKey: 'const publicKey = config.require("publicKey");',
  privateKey: 'const privateKey = config.requireSecret("privateKey");',
  cluster: 'const cluster = new pulumi.ComponentResource("pkg:index:Cluster", "cluster");',
  orders: `const orders = new clouddb.ClusterConnectionStrings("orders", { projectId, clusterName: "orders" });`,
  password: 'const password = config.requireSecret("databasePassword");',
};

/** Examples that are no complete programs, with a part of their code, and why they are not run. */
export const exceptions: readonly { page: string; part: string; reason: string }[] = [
  {
    page: "docs/guides/app-config.md",
    part: "new kubernetes.core.v1.Secret",
    reason: "needs @pulumi/kubernetes and a cluster of Kubernetes",
  },
  {
    page: "docs/guides/testing.md",
    part: "client.waitUntilIdle",
    reason: "lines of examples/tests-with-simulator, which has its own test",
  },
  {
    page: "docs/guides/testing.md",
    part: 'operation === "listClusters"',
    reason: "lines of examples/tests-with-simulator, which has its own test",
  },
  ...["connection-strings/README.md", "docs/guides/atlas.md"].map((page) => ({
    page,
    part: "@pulumi/mongodbatlas",
    reason: "needs @pulumi/mongodbatlas, which has 220 dependencies, and an account",
  })),
  {
    page: "simulator/README.md",
    part: "new MongoClient",
    reason: "needs a database; tests/database connects a driver in the same way",
  },
];

const isExcepted = ({ page, code }: CodeBlock) =>
  exceptions.some((exception) => exception.page === page && code.includes(exception.part));

/** Returns the blocks of TypeScript and JavaScript, without the exceptions. */
export function examples(blocks = [...pages().flatMap(codeBlocks), ...comments()]): Example[] {
  return blocks
    .filter(({ language }) => /^(?:ts|typescript|js|javascript)$/.test(language))
    .filter((block) => !isExcepted(block))
    .map((block) => ({ ...block, kind: kindOf(block), file: fileOf(block) }));
}

/** Returns the examples in the comments of the package for programs. */
function comments(): CodeBlock[] {
  const folder = "provider/src";
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return files
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .flatMap((page) => {
      const text = readFileSync(join(root, page), "utf8");
      return [...text.matchAll(/\* @example\n((?: +\* .*\n)+)/g)].map(
        ({ 1: lines = "", index }) => {
          const line = text.slice(0, index).split("\n").length + 1;
          return { page, line, language: "ts", code: lines.replace(/^ +\* /gm, "") };
        },
      );
    });
}

function kindOf({ code, page }: CodeBlock): Kind {
  if (page.endsWith(".ts")) return "comment";
  if (code.includes('from "node:test"')) return "test";
  if (/\b(?:clouddb|pulumi)\./.test(code)) return "program";
  return /^(?:.* )?await /m.test(code) ? "module" : "script";
}

/** Puts what the page introduces in the line before the code, as far as the code uses and does not declare it. */
function fileOf({ line, code }: CodeBlock): string {
  const missing = Object.entries(introduced).reduceRight((found, [name, declaration]) => {
    const text = `${found}\n${code}`;
    const isDeclared = new RegExp(
      `\\b(?:const|as) ${name}\\b|\\b(?:const|import) \\{[^}]*\\b${name}\\b`,
    );
    const isUsed = new RegExp(`\\b${name}\\b(?!:)`).test(text.replace(/"[^"\n]*"|\/\/.*/g, ""));
    return isUsed && !isDeclared.test(text) ? `${declaration} ${found}` : found;
  }, "");
  return `${"\n".repeat(line - 2)}${missing}\n${code}`;
}
