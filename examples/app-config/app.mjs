// An application that gets its connection string from the environment: DATABASE_URL=... node app.mjs
// It connects, logs in, writes a document and reads it. It does not need Pulumi.
import dns from "node:dns";
import { MongoClient } from "mongodb";

const { DATABASE_URL, DATABASE_DNS, DATABASE_ADDRESS } = process.env;
if (DATABASE_URL === undefined) {
  console.error("DATABASE_URL is not set. README.md shows how to pass it.");
  process.exit(1);
}

// Only set offline, where the simulator resolves the names and one server stands in for all addresses.
if (DATABASE_DNS !== undefined) dns.setServers([DATABASE_DNS]);
const lookup = (_host, _options, done) => done(null, [{ address: DATABASE_ADDRESS, family: 4 }]);

const client = new MongoClient(DATABASE_URL, DATABASE_ADDRESS === undefined ? {} : { lookup });
try {
  const starts = client.db("app").collection("starts");
  const { insertedId } = await starts.insertOne({ at: new Date() });
  const start = await starts.findOne({ _id: insertedId });
  console.log(`connected, wrote a document and read it: started at ${start.at.toISOString()}`);
} catch (error) {
  // The messages of the driver contain host names, but no credentials.
  console.error(
    `${error.message}\nTo find out why: npx pulumi-clouddb strings --check --variable DATABASE_URL`,
  );
  process.exitCode = 1;
} finally {
  await client.close();
}
