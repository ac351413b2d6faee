// Says what the official driver of Node.js does with connection strings: `node judge.js <DNS server>`. Reads a string as
// JSON from each line, and prints its version, then a line for each string: {} or { refused } with the reason.
const dns = require("node:dns");
const { text } = require("node:stream/consumers");
const { MongoClient } = require("mongodb");
const { version } = require("mongodb/package.json");

dns.setServers([process.argv[2]]);

const loopback = { address: "127.0.0.1", family: 4 };
const lookup = (_host, options, callback) =>
  options.all ? callback(null, [loopback]) : callback(null, loopback.address, loopback.family);

/** How a driver ends that has got as far as a connection. */
const connecting = /ECONNREFUSED|Server selection timed out/;

async function judge(url) {
  let client;
  try {
    new MongoClient(url).db();
    client = new MongoClient(url, { lookup, serverSelectionTimeoutMS: 1 });
    await client.connect();
    return { refused: "connected" };
  } catch (error) {
    return connecting.test(error.message) ? {} : { refused: error.message };
  } finally {
    await client?.close();
  }
}

async function main() {
  const lines = (await text(process.stdin)).split("\n").filter((line) => line !== "");
  console.log(JSON.stringify(version));
  const judged = [];
  // Several at a time, because each waits for its connection.
  await Promise.all(
    Array.from({ length: 8 }, async (_, first) => {
      for (let at = first; at < lines.length; at += 8)
        judged[at] = await judge(JSON.parse(lines[at]));
    }),
  );
  for (const verdict of judged) console.log(JSON.stringify(verdict));
}

void main();
