// An application that gets its connection string from the environment: DATABASE_URL=... node app.mjs
import { MongoClient } from "mongodb";

const client = new MongoClient(process.env.DATABASE_URL);
try {
  const starts = client.db("app").collection("starts");
  const { insertedId } = await starts.insertOne({ at: new Date() });
  const start = await starts.findOne({ _id: insertedId });
  console.log(`connected, wrote a document and read it: started at ${start.at.toISOString()}`);
} catch (error) {
  // The messages of the driver contain host names, but no credentials.
  console.error(
    `${error.message}\nTo find out why: npx --no clouddb-connection-strings check --variable DATABASE_URL`,
  );
  process.exitCode = 1;
} finally {
  await client.close();
}
