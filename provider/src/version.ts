/** The version of this package, from its package.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "./api/zod";

const manifest = readFileSync(join(__dirname, "..", "package.json"), "utf8");

export const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest));
