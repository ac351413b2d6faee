// An application that reads its configuration from the environment: node --env-file=.env app.mjs
// It prints the hosts that it would connect to. It does not need Pulumi.
import { classify, parse } from "pulumi-clouddb/connection-strings";

const url = process.env.DATABASE_URL;
if (url === undefined) {
  console.error("DATABASE_URL is not set. Run: node --env-file=.env app.mjs");
  process.exit(1);
}
const { hosts, options } = parse(url);
const names = hosts.map(({ name }) => name).join(", ");
console.log(`connecting to ${names} (${classify(url).kind}) with ${options ?? "no options"}`);
