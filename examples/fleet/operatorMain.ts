/** `npm run operator`: prints the Stack resources of fleet.json with the settings in operator.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { operatorSchema, writeStackResources } from "./stackResources";
import { readFleet } from "./stackList";

try {
  const file = process.argv[2] ?? join(__dirname, "operator.json");
  const settings = operatorSchema.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (!settings.success) {
    throw new Error(`${file} is not valid:\n${z.prettifyError(settings.error)}`);
  }
  process.stdout.write(writeStackResources(readFleet(), settings.data));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
