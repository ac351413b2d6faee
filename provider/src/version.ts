/** The version of this package, and the versions of Node.js that it needs, from its package.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "./messages/zod";

const manifest = readFileSync(join(__dirname, "..", "package.json"), "utf8");

export const { version, engines } = z
  .object({ version: z.string(), engines: z.object({ node: z.string() }) })
  .parse(JSON.parse(manifest));
