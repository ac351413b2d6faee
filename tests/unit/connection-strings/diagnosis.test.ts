import assert from "node:assert/strict";
import { diagnose } from "../../../connection-strings/src";

const host = "orders.ab1cd.db.example";
const character = (text: string) => `unencoded-character ${text}`;

/** Texts, and the codes and subjects of what is found in each. The tests of the rules have those that can be parsed. */
const cases: Record<string, [text: string, ...found: string[]][]> = {
  "nothing in strings that drivers accept": [
    [`db+srv://${host}`],
    [`db+srv://app:p%40ss@${host}/shop?retryWrites=true&w=majority&appName=a/b`],
    ["db://a.db.example:27017,b.db.example:27017/?ssl=true&tls=true&authSource=%24external"],
    [
      `db+srv://${host}/?readPreference=nearest&readPreferenceTags=dc:ny,rack:1&readPreferenceTags=`,
    ],
    [`other://${host}/?tlsCAFile=/etc/x&unknown=a/b&w=1`],
  ],
  "quotes and white space around the text": [
    [`"db+srv://app:x@${host}"`, "quotes"],
    [`db+srv://app:x@${host}"`, "quotes"],
    [`\ufeff db+srv://app:x@${host}\r\n`, "white-space"],
    [`"db+srv://app:p@x@${host} "\n`, "white-space", "quotes", character("@")],
    [`"' db+srv://app:x@${host}\`"`, "quotes"],
  ],
  "white space inside of the text": [
    ["db://app:x@a.db.example:1, b.db.example:1/?tls=true", "white-space"],
    ["db://a.db.example:1,\n  b.db.example:1", "white-space"],
    ["db://app:x, y@a.db.example", character(" ")],
    ["db://a.db.example:1 ,b.db.example:1", "invalid-host"],
    [`db+srv://app:x@orders .db.example/?tls=TRUE`, "invalid-host"],
  ],
  "characters that must be percent-encoded in credentials": [
    [`db+srv://app:So@123@${host}`, character("@")],
    [`db+srv://app:pa/ss@${host}/shop`, character("/")],
    [`db+srv://app:pa:ss@${host}`, character(":")],
    [`db+srv://app:100%@${host}`, character("%")],
    [`db+srv://app:[x]@${host}`, character("["), character("]")],
    [`db+srv://a/pp:a b@${host}`, character("/"), character(" ")],
    // The host is not known.
    ["db://app:pa?ss&x@host", character("@")],
    ["db://app:tls=1?&tls=2#x@host", character("@")],
    [`db://app:12/s3cret?4=5@${host}`, character("@")],
  ],
  "everything else in a text that cannot be parsed": [
    [
      `db+srv://app:p@ss@${host}/my shop?retryWrites=treu&authSource=<x>`,
      character("@"),
      "invalid-database database",
      "option-value retryWrites",
      "placeholder authSource",
    ],
    [`db+srv://app:p@ss@${host}/..`, character("@"), "invalid-database database"],
    [
      "db://app:p@ss@a.example,b.example/?loadBalanced=true",
      character("@"),
      "option-conflict loadBalanced",
    ],
    // Without hosts, the rest can be a part of a password.
    ["db://app:s3cret/?tls=TRUE", "invalid-host"],
    ["db://app:***", "invalid-host"],
  ],
  "an option without a value, which PyMongo ignores": [
    [
      "db://a.example/?tls=false&tlsCertificateKeyFilePassword=",
      "option-value tlsCertificateKeyFilePassword",
    ],
  ],
  "a plus sign in credentials, which PyMongo reads as a space": [
    [`db+srv://app:p+ss@${host}`, "invalid-credentials password"],
    [`db+srv://a+b:p%2Bss@${host}`, "invalid-credentials username"],
  ],
  "missing parts": [
    ["", "no-scheme"],
    [`app:x@${host}`, "no-scheme"],
    ["db://", "no-host"],
    ["db+srv://app:x@/shop", "no-host"],
    ["db+srv://app:x@:27017/shop", "no-host"],
    ["db://?tls=true", "no-host"],
    ["db+srv://a.example,b.example", "invalid-srv"],
    [`db+srv://:x@${host}`, "invalid-credentials username"],
    [`db+srv://app:x@${host}/%2e.`, "invalid-database database"],
    // The @ between the password and the host.
    [`db+srv://app:s3cret${host}/?retryWrites=true`, "invalid-host"],
    [`db://app:12345${host}:27017/shop`, "invalid-host"],
  ],
  "what hosts look like that are none": [
    ["db://a.example:1,db://b.example:1/?tls=true", "invalid-host"],
    ['db://"a.example:1","b.example:1"/', "invalid-host"],
    [`db+srv://app:x@https://${host}`, "invalid-host"],
    ["db://app:x@a.example:1;b.example:1/?tls=TRUE", "invalid-host"],
    ["db://app:x@a.example:1,/", "invalid-host"],
    ["db://app:x@a.example:1 b.example:1/", "invalid-host"],
    // Not characters of one password.
    ["db://app:x@a.example:1,app:x@b.example:1/", character("@")],
    ["db://app:x@2001:db8::1/", "invalid-host"],
    [`db+srv://app:x@${host}&w=1`, "invalid-host"],
    [`db+srv://app:x@${host}/shop&w=1`, "invalid-database database"],
    [`db+srv://app:x@${host}\\n`, "invalid-host"],
    [`db+srv://app:x@${host}/#x`, "not-a-connection-string"],
  ],
  "text around the string that belongs to no string": [
    [`DATABASE_URL=db+srv://${host}`, "other-text"],
    [`jdbc:mongodb+srv://app:x@${host}`, "other-text"],
    [`mongosh "db+srv://${host}/" --apiVersion 1 --username app`, "other-text"],
    [`mongodump --uri=db+srv://app:x@${host}/?w=1 --out /tmp`, "other-text"],
    [`$ mongosh db+srv://${host}`, "other-text"],
    [`client = MongoClient('db+srv://app:<password>@${host}/')`, "other-text"],
    [`{"url":"db+srv://app:x@${host}"}`, "other-text"],
    [btoa(btoa(`db+srv://app:s3cret@${host}`)), "other-text"],
    [encodeURIComponent(`db+srv://app:s3cret@${host}`), "other-text"],
    [`\u201cdb+srv://app:x@${host}\u201d`, "quotes"],
    [`db+srv://app:x@${host}/ --username app`, "other-text"],
    [`"db://a.db.example,b.db.example/?tls=true" \\\n  --tls`, "other-text"],
    [`\n  "db+srv://${host}" | tee x\n`, "white-space", "other-text"],
    // A part of a password.
    [`db+srv://app:x -y@${host}`, character(" ")],
    [`db+srv://app:a=b://c@${host}`, character("/"), character(":")],
  ],
  "a scheme that drivers refuse": [
    [`db+SRV://${host}`, "scheme-case"],
    [`MongoDB://app:p@ss@a.db.example/?tls=true`, character("@"), "scheme-case"],
    ...["monogdb", "mongo", "mongdb", "MonogDB", "mongodbs"].map((scheme): [string, string] => [
      `${scheme}://app:x@${host}`,
      "unknown-scheme mongodb",
    ]),
    ...["mongodb+svr", "mongodb-srv", "mongodbsrv", "mongo+srv", "mongodb+srvv", "mongdb.srv"].map(
      (scheme): [string, string] => [`${scheme}://${host}`, "unknown-scheme mongodb+srv"],
    ),
    [`db+svr://${host}`, "unknown-scheme"],
    [`mongodb+srv+tls://${host}`, "unknown-scheme"],
    [`${"mongo".repeat(20_000)}://${host}`],
  ],
  "placeholders, and what stands for a missing value": [
    [`db+srv://app:<db_password>@${host}`, "placeholder password"],
    [`db+srv://app:%3Cpassword%3E@${host}`, "placeholder password"],
    [`db+srv://<username>:<password>@${host}`, "placeholder username", "placeholder password"],
    ...["${DB_PASSWORD}", "{{password}}", "$DB_PASSWORD", "%DB_PASSWORD%", "$(PASSWORD)", "%s"].map(
      (password): [string, string] => [`db+srv://app:${password}@${host}`, "placeholder password"],
    ),
    ...["[secret]", "%5Bsecret%5D", "undefined", "null", "None"].map(
      (password): [string, string] => [`db+srv://app:${password}@${host}`, "placeholder password"],
    ),
    ["db+srv://undefined:x@host.example", "placeholder username"],
    ["db+srv://app:x@undefined", "placeholder host"],
    ["db+srv://app:x@orders.undefined.example", "placeholder host"],
    ["db+srv://app:x@orders.xxxxx.db.example", "placeholder host"],
    ["db+srv://app:x@<cluster>.db.example", "placeholder host"],
    [`db+srv://app:x@${host}/<DATABASE>?w=1`, "placeholder database"],
    [`db+srv://app:p@ss@${host}/\${DATABASE}`, character("@"), "placeholder database"],
    [`db+srv://${host}/?authSource=<database>`, "placeholder authSource"],
    [`db+srv://${host}/?mine=<x>`, "placeholder"],
    ...[
      "****",
      "{password}",
      "{db_password}",
      "YOUR_PASSWORD",
      "your-db-password",
      "[YOUR-PASSWORD]",
    ].map((password): [string, string] => [
      `db+srv://app:${password}@${host}`,
      "placeholder password",
    ]),
    [`db+srv://YOUR_USERNAME:%2A%2A%2A%2A@${host}`, "placeholder username", "placeholder password"],
    [
      `db+srv://app:Calling%20%5BtoString%5D%20on%20an%20%5BOutput%3CT%3E%5D%20is%20not%20supported@${host}`,
      "placeholder",
    ],
    [`db+srv://app:%5Bobject%20Promise%5D@${host}`, "placeholder password"],
    // In Python, Java and C#.
    ...[
      "<pulumi.output.Output object at 0x7f1c>",
      "com.pulumi.core.internal.OutputInternal@6d06d69c",
      "Pulumi.Output`1[System.String]",
    ].map((password): [string, string] => [`db+srv://app:${password}@${host}`, "placeholder"]),
    // In Go, of Terraform, in a shell, and of services for secrets.
    ...[
      "%!s(<nil>)",
      "%!s(MISSING)",
      "(sensitive value)",
      "%(password)s",
      "`cat password`",
      "arn:aws:secretsmanager:us-east-1:1:secret:x",
      "{{resolve:secretsmanager:x:SecretString:password}}",
      "PASSWORD",
      "your_password_here",
      "process.env.DB_PASSWORD",
      '{{ with secret "kv/db" }}{{ .Data.password }}{{ end }}',
    ].map((password): [string, string] => [
      `db+srv://app:${password}@${host}`,
      "placeholder password",
    ]),
    ...[
      "(known after apply)",
      "op://vault/shop/url",
      "@Microsoft.KeyVault(SecretUri=https://vault.example/x)",
      "projects/1/secrets/x/versions/latest",
      "os.environ['DATABASE_URL']",
      // As CI services print secrets.
      "***",
    ].map((text): [string, string] => [text, "placeholder"]),
    // What somebody can use as a password.
    ...["x", "password", "**", "{x}", "yourpassword", "my-password", "$ecret1", "undefined1"].map(
      (password): [string] => [`db+srv://app:${password}@${host}`],
    ),
  ],
};

describe("diagnose", () => {
  for (const [what, rows] of Object.entries(cases)) {
    it(`finds ${what}`, () => {
      for (const [text, ...expected] of rows) {
        const found = diagnose(text).map(({ code, subject }) =>
          subject === undefined ? code : `${code} ${subject}`,
        );
        assert.deepEqual(found, expected, text);
      }
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
