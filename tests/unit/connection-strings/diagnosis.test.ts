import assert from "node:assert/strict";
import { type Diagnosis, diagnose } from "../../../connection-strings/src";

const host = "orders.ab1cd.db.example";
const character = (text: string): Diagnosis => ({ code: "unencoded-character", subject: text });
const unknownScheme = (subject: string | undefined): Diagnosis => ({
  code: "unknown-scheme",
  subject,
});
const value = (option: string): Diagnosis => ({ code: "option-value", subject: option });

const cases: Record<string, [text: string, ...found: Diagnosis[]][]> = {
  "nothing in strings that drivers accept": [
    [`db+srv://${host}`],
    [`db+srv://app:p%40ss@${host}/shop?retryWrites=true&w=majority&appName=a/b`],
    ["db://a.db.example:27017,b.db.example:27017/?ssl=true&tls=true&authSource=%24external"],
    [
      `db+srv://${host}/?readPreferenceTags=dc:ny,rack:1&readPreferenceTags=&zlibCompressionLevel=-1`,
    ],
    [`other://${host}/?tlsCAFile=/etc/x&unknown=a/b&w=1`],
  ],
  "quotes and white space around the text": [
    [`"db+srv://app:x@${host}"`, { code: "quotes" }],
    [`db+srv://app:x@${host}"`, { code: "quote" }],
    [`\ufeff db+srv://app:x@${host}\r\n`, { code: "white-space" }],
    [`"db+srv://app:p@x@${host} "\n`, { code: "white-space" }, { code: "quotes" }, character("@")],
    [`"' db+srv://app:x@${host}\`"`, { code: "quotes" }],
    // A value can end in a quote.
    [`db+srv://${host}/?appName='x'`],
  ],
  "characters that must be percent-encoded in credentials": [
    [`db+srv://app:So@123@${host}`, character("@")],
    [`db+srv://app:pa/ss@${host}/shop`, character("/")],
    [`db+srv://app:pa:ss@${host}`, character(":")],
    ["db://app:pa?ss&x@host", character("?")],
    [`db://app:tls=1?&tls=2#x@${host}`, character("?"), character("#")],
    [`db+srv://app:100%@${host}`, character("%")],
    [`db+srv://app:[x]@${host}`, character("["), character("]")],
    [`db+srv://app:a b@${host}`, character(" ")],
  ],
  "missing parts": [
    ["", { code: "no-scheme" }],
    [`app:x@${host}`, { code: "no-scheme" }],
    ["db://", { code: "no-host" }],
    ["db+srv://app:x@/shop", { code: "no-host" }],
    ["db://?tls=true", { code: "no-host" }],
    ["db+srv://a.example,b.example", { code: "invalid-srv" }],
    [`db+srv://:x@${host}`, { code: "not-a-connection-string" }],
    [`db+srv://app:x@${host}/..`, { code: "not-a-connection-string" }],
  ],
  "text around the string that belongs to no string": [
    [`DATABASE_URL=db+srv://${host}`, { code: "other-text" }],
    [`mongosh "db+srv://${host}/" --apiVersion 1 --username app`, { code: "other-text" }],
    [`mongodump --uri=db+srv://app:x@${host}/?w=1 --out /tmp`, { code: "other-text" }],
    [`$ mongosh db+srv://${host}`, { code: "other-text" }],
    [`client = MongoClient('db+srv://app:<password>@${host}/')`, { code: "other-text" }],
    [`{"url":"db+srv://app:x@${host}"}`, { code: "other-text" }],
    [`db+srv://app:x@${host}/ --username app`, { code: "other-text" }],
    [`"db://a.db.example,b.db.example/?tls=true" \\\n  --tls`, { code: "other-text" }],
    [`\n  "db+srv://${host}" | tee x\n`, { code: "white-space" }, { code: "other-text" }],
    // A part of a password.
    [`db+srv://app:x -y@${host}`, character(" ")],
    [`db+srv://app:a=b://c@${host}`, character("/"), character(":")],
  ],
  "a scheme in capital letters": [
    [`db+SRV://${host}`, { code: "scheme-case" }],
    [`MongoDB://app:p@ss@a.db.example/?tls=true`, { code: "scheme-case" }, character("@")],
    [`"DB+SRV://${host}"`, { code: "quotes" }, { code: "scheme-case" }],
  ],
  "a scheme that no driver accepts": [
    ...["monogdb", "mongo", "mongdb", "MonogDB", "mongodbs"].map((scheme): [string, Diagnosis] => [
      `${scheme}://app:x@${host}`,
      unknownScheme("mongodb"),
    ]),
    ...["mongodb+svr", "mongodb-srv", "mongodbsrv", "mongo+srv", "mongodb+srvv", "mongdb.srv"].map(
      (scheme): [string, Diagnosis] => [`${scheme}://${host}`, unknownScheme("mongodb+srv")],
    ),
    [`db+svr://${host}`, unknownScheme(undefined)],
    [`mongodb+srv+tls://${host}`, unknownScheme(undefined)],
    [`mongodb+svr://app:p@ss@${host}`, unknownScheme("mongodb+srv"), character("@")],
    [`${"mongo".repeat(20_000)}://${host}`],
  ],
  placeholders: [
    [`db+srv://app:<db_password>@${host}`, { code: "placeholder", subject: "password" }],
    [`db+srv://app:%3Cpassword%3E@${host}`, { code: "placeholder", subject: "password" }],
    [
      `db+srv://<username>:<password>@${host}`,
      { code: "placeholder", subject: "username" },
      { code: "placeholder", subject: "password" },
    ],
    [`db+srv://app:\${DB_PASSWORD}@${host}`, { code: "placeholder", subject: "password" }],
    [`db+srv://app:{{password}}@${host}`, { code: "placeholder", subject: "password" }],
    ["db+srv://app:x@<cluster>.db.example", { code: "placeholder", subject: "host" }],
    [`db+srv://app:x@${host}/<DATABASE>?w=1`, { code: "placeholder", subject: "database" }],
    [`db+srv://app:p@ss@${host}/\${DATABASE}`, { code: "placeholder", subject: "database" }],
    [`db+srv://${host}/?authSource=<database>`, { code: "placeholder", subject: "authSource" }],
    [`db+srv://${host}/?mine=<x>`, { code: "placeholder", subject: undefined }],
    ...[
      "****",
      "{password}",
      "{db_password}",
      "YOUR_PASSWORD",
      "your-db-password",
      "[YOUR-PASSWORD]",
    ].map((password): [string, Diagnosis] => [
      `db+srv://app:${password}@${host}`,
      { code: "placeholder", subject: "password" },
    ]),
    [
      `db+srv://YOUR_USERNAME:%2A%2A%2A%2A@${host}`,
      { code: "placeholder", subject: "username" },
      { code: "placeholder", subject: "password" },
    ],
    // What somebody can use as a password, or no password.
    ...["x", "password", "**", "{x}", "yourpassword", "my-password"].map((password): [string] => [
      `db+srv://app:${password}@${host}`,
    ]),
    [`db+srv://app@${host}`],
  ],
  "options that are repeated, or have a value of another kind": [
    [
      `db+srv://${host}/?authSource=admin&AuthSource=shop`,
      { code: "repeated-option", subject: "authSource" },
    ],
    [
      `db+srv://${host}/?tls=true&ssl=false&tls=0`,
      { code: "repeated-option", subject: "tls" },
      value("tls"),
    ],
    [`db+srv://${host}/?mine=1&mine=2`, { code: "repeated-option", subject: undefined }],
    [`db+srv://${host}/?w=1&w=1`],
    ["db://a.db.example:27017/?ssl=truereplicaSet=rs-0", value("ssl")],
    ["db://a.db.example/?replicaSet=rs-0?w=1", value("replicaSet")],
    ["db://a.db.example/?authSource=adminretryWrites=true", value("authSource")],
    ["db://a.db.example/?maxPoolSize=ten&tls=TRUE", value("maxPoolSize"), value("tls")],
    ["db://a.db.example/?retryWrites", value("retryWrites")],
  ],
};

describe("diagnose", () => {
  for (const [what, rows] of Object.entries(cases)) {
    it(`finds ${what}`, () => {
      for (const [text, ...found] of rows) assert.deepEqual(diagnose(text), found, text);
    });
  }

  it("diagnoses 100,000 options and quotes without a time that grows with their square", () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `o${index}=1`);
    assert.deepEqual(diagnose(`db://${host}/?${names.join("&")}`), []);
    const quotes = `"'`.repeat(50_000);
    for (const text of [quotes, `${quotes}db://${host}`, `db+srv://${host}/${quotes}x`])
      diagnose(text);
  });
});
