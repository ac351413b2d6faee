/** Collects the texts in the source of the packages that can be a message, or a part of one. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const root = join(__dirname, "../../..");

/** Stands for a part of a message that varies. */
const placeholder = "…";

/** The packages whose messages users get. The simulator has its own README. */
const folders = ["provider/src", "plugin/src", "connection-strings/src"];

/** These functions return steps and reasons as their result. Only the errors that they throw are messages. */
const filesWithResults = [
  "connection-strings/src/optimizedSrv.ts",
  "connection-strings/src/peeringChange.ts",
  "connection-strings/src/privateEndpointChange.ts",
  "connection-strings/src/providerChange.ts",
];

/**
 * Returns every text with a word in the source, with a placeholder for each value in it. Comments
 * and types are not texts.
 *
 * @returns the texts, with white space collapsed
 */
export function textsInSource(): ReadonlySet<string> {
  return new Set([...folders.flatMap(filesIn).flatMap(textsOf), ...textsOfLauncher()]);
}

/**
 * Collapses white space.
 *
 * @param text any text
 */
export function collapse(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/**
 * Counts the words of a text, without placeholders and punctuation.
 *
 * @param text a text with collapsed white space
 */
export function wordCount(text: string): number {
  return text.split(" ").filter((word) => /[A-Za-z]{2}/.test(word)).length;
}

/** The plugin is started by a shell script, which needs Node.js. */
function textsOfLauncher(): string[] {
  const script = readFileSync(join(root, "plugin/pulumi-resource-clouddb"), "utf8");
  return [...script.matchAll(/echo "(.*)"/g)].map(([, text = ""]) => text);
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`);
}

function textsOf(file: string): string[] {
  const content = readFileSync(join(root, file), "utf8");
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true);
  return textsIn(source, !filesWithResults.includes(file));
}

/** `collects`: whether the node is, or is in, an expression whose texts are messages. */
function textsIn(node: ts.Node, collects: boolean): string[] {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return [];
  const text = collapse(textOf(node) ?? "");
  const own = collects && wordCount(text) > 0 ? [text] : [];
  const inner: string[] = [];
  ts.forEachChild(node, (child) => {
    inner.push(...textsIn(child, collects || ts.isNewExpression(node)));
  });
  return [...own, ...inner];
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  const spans = node.templateSpans.map(({ literal }) => `${placeholder}${literal.text}`);
  return [node.head.text, ...spans].join("");
}
