/** The arguments, the input and the texts that the check refuses, without a network. */
import assert from "node:assert/strict";
import { check } from "../../../../connection-strings/src/check/command";

const host = "orders.ab1cd.db.example";
const srv = `db+srv://app:s3cret@${host}`;
const secret = "db://app:s3cret@a:1";

const run = (args: string[], environment: Record<string, string> = {}, input?: string) => {
  const readInput = input === undefined ? undefined : () => Promise.resolve(input);
  return check(args, { environment, readInput });
};

describe("clouddb-connection-strings check", () => {
  const variable = ["--variable", "URL"];

  it("prints no credentials, and says that white space follows", async () => {
    const URL = "db://app:s3cret@localhost:1/?tls=true&authMechanismProperties=X:s3cret\n";
    const { code, output, error } = await run(variable, { URL });
    assert.deepEqual([code, error], [1, ""]);
    assert.match(output, /^warning +string +white space around it, which some drivers do not/);
    assert.match(output, /TCP.*[^]*localhost:1 [^]*connection refused[^]*\nNot reachable\.\nUsual/);
    assert.doesNotMatch(output, /s3cret|app/);
  });

  for (const [what, input, isPadded] of [
    ["a line break", "db://localhost:1/?tls=true\n", false],
    ["the line break of Windows", "\ufeffdb://localhost:1/?tls=true\r\n", false],
    ["no line break", "db://localhost:1/?tls=true", false],
    ["a space and a line break", "db://localhost:1/?tls=true \n", true],
  ] as const) {
    it(`reads a string and ${what} from standard input`, async () => {
      const { code, output, error } = await run([], {}, input);
      assert.deepEqual([code, error], [1, ""]);
      assert.match(output, /connection refused/);
      assert.equal(output.includes("white space"), isPadded);
    });
  }

  /** Hosts about which no DNS server is asked, because they are addresses or have an empty label. */
  for (const [what, URL, expected] of [
    ["an IPv6 address", "db://[::1]:1/?tls=true", /^ok +addresses +\[::1\] +::1 \(private\)$/m],
    [
      "a host without an address, which the operating system does not tell from one that does not exist",
      "db://a..example/?tls=true",
      /^problem +addresses +a\.\.example +the name has no address, or does not exist$/m,
    ],
    [
      "a cluster whose name is no name in DNS",
      "db+srv://a..example",
      /^problem +SRV +_db\._tcp\.a\.\.example +no name in DNS can be like this$/m,
    ],
  ] as const) {
    it(`describes ${what}`, async () => {
      const { code, output } = await run(variable, { URL });
      assert.equal(code, 1);
      assert.match(output, expected);
    });
  }

  it("prefers the variable to standard input", async () => {
    const { error } = await run(variable, { URL: "x" }, secret);
    assert.match(error, /does not begin with a scheme/);
  });

  const output = /an output .* into a text\. Use pulumi\.interpolate or apply\.$/;
  const assigned = /begins with a name and = or :\./;
  const onlyString = /It contains other text, .* Keep only the string, from its scheme to the next/;
  const another = /scheme is that of another kind/;
  const capitals = /Its scheme has capital letters, .* lower case, such as mongodb\+srv:\/\/\.$/;
  const database =
    /The database is a placeholder, .* the application's database, or leave it out\.$/;
  const base64 = Buffer.from(srv).toString("base64");
  /** The unit tests of `diagnose` have more texts with the same mistakes. */
  const mistakes: readonly (readonly [RegExp, ...string[]])[] = [
    [/It begins and ends with a quote\./, `"${srv}"`],
    [/It begins or ends with a quote\./, `${srv}'`],
    [/ # in .* %23\. .* % in .* %25\./, `db://app:s3cret#%@${host}`],
    [
      /The character @ in the user name or password must be %40\.$/,
      `db+srv://app:s3cret@x@${host}`,
    ],
    [/A space in the user name or password must be %20\./, `db+srv://app:s3cret a@${host}`],
    [
      /The password is a placeholder, .* Replace it, including any brackets/,
      `db+srv://app:<db_password>@${host}`,
      `db+srv://app:****@${host}`,
    ],
    [/The user ?name is a placeholder/, `db+srv://<username>:s3cret@${host}`],
    [/The host is a placeholder, .* that the service returned\.$/, "db+srv://app:s3cret@<cluster>"],
    [database, `${srv}/<DATABASE>`, `${srv}/{{database}}?w=1`, `${srv}/%3Cdatabase%3E`],
    [/The value of the option authSource is a placeholder/, `${srv}/?authSource=<database>`],
    [
      /accept\. The value of an option is a placeholder\. Replace it, or remove the option\.$/,
      `${srv}/?s3cret=<a>&s3cret2=<b>`,
    ],
    [/The option authSource is in it twice/, `${srv}/?authSource=admin&authSource=s3cret`],
    [/The option that drivers do not know is in it twice/, `${srv}/?s3cret=1&s3cret=2`],
    [/The option ssl has a value that .* put an &/, `${srv}/?ssl=truereplicaSet=s3cret`],
    [/It has no host\./, "db+srv://app:s3cret@/shop"],
    [
      output,
      `db+srv://app:Calling [toString] on an [Output<T>] is not supported@${host}`,
      `db+srv://app:Calling __str__ on an Output[T] is not supported.\n\nTo get@${host}`,
      `db+srv://app:Calling%20%5BtoString%5D%20on%20an%20%5BOutput%3CT%3E%5D%20is%20not%20supported.@${host}`,
    ],
    [/another object into a text\./, `db+srv://app:[object Promise]@${host}`],
    [assigned, `URL=${srv}`, ` export URL="${srv}"`, `URL: ${srv}\n`, `const uri = "${srv}";`],
    [
      /\. Its scheme is misspelled\. Did you mean mongodb\+srv:\/\/\?$/,
      `mongodb+svr://app:s3cret@${host}`,
      `mongodb-srv://app:s3cret@${host}`,
      `"mongo+srv://app:s3cret@${host}"`,
    ],
    [
      /Its scheme is misspelled\. Did you mean mongodb:\/\/\?$/,
      "monogdb://app:s3cret@a:1/?tls=true",
    ],
    [
      /accept\. In a scheme, drivers accept nothing after a \+ except srv, such as mongodb\+srv:\/\/\.$/,
      `db+svr://app:s3cret@${host}`,
    ],
    [
      /It contains other text, such as a command and its options\. Keep only the string, from its scheme to the next space or quote\.$/,
      `mongosh ${srv}`,
      `mongosh "${srv}/" --username app --password s3cret`,
      `mongosh "db+srv://${host}/" --apiVersion 1`,
    ],
    [
      /\. Options such as --username do not count, so add a user name and a password to the string\.$/,
      `mongosh "db+srv://${host}/" --apiVersion 1 --username app`,
      `mongosh db+srv://${host} -u app -p s3cret`,
      `db+srv://app@${host}/ --password=s3cret`,
    ],
    [
      /It is JSON or another object that contains the string\. Keep only the string, without its quotes\.$/,
      `{"url":"${srv}"}`,
      ` ["${srv}"]\n`,
    ],
    [/It begins with < and ends with >\. Remove both\.$/, `<${srv}>`, ` "<${srv}>"`],
    [
      /Pulumi printed \[secret\] instead of a secret output\. Print the output with `pulumi stack output NAME --show-secrets`\.$/,
      "[secret]",
      '"[secret]"\n',
    ],
    [
      /It is what a program writes for a missing value\. See which variable or output was not set where the text was built\.$/,
      "undefined",
      "null",
      " 'None'",
      "<nil>",
    ],
    [
      /It is a reference to a variable that nothing replaced\. .* single quotes, .* --env-file .* the value itself\.$/,
      "$DATABASE_URL",
      "${DATABASE_URL}",
      "'$(DATABASE_URL)'",
      "$env:DATABASE_URL",
      "%DATABASE_URL%",
      "${}",
      "${{ secrets.DATABASE_URL }}",
      "${DATABASE_URL:-mongodb://app:s3cret@localhost}",
    ],
    [
      /It is a placeholder\. Replace it, including the brackets, with the string\.$/,
      "<DATABASE_URL>",
      "{{ .Values.databaseUrl }}",
      "{}",
      "{DATABASE_URL}",
    ],
    [
      onlyString,
      `mongosh "db+srv://${host}/" --apiVersion 1 --username app`,
      `mongodump --uri="${srv}/?w=1" --out s3cret`,
      `mongosh db+srv://${host} --username app@s3cret --password s3cret`,
      `new MongoClient("db+srv://app:s3cret@${host}/?appName=x")`,
      `${srv}/ --username app`,
      `mongosh "db+srv://${host}/?appName=x" --username app@s3cret`,
    ],
    [capitals, `db+SRV://app:s3cret@${host}`, `DB://app:s3cret@${host}:1/?tls=true`],
    [/It is base64, as in a Kubernetes Secret\./, `${base64}\n`, base64.replace(/.{20}/g, "$&\n")],
    [another, `jdbc:mysql://${host}/shop?password=s3cret`, `"rediss://:s3cret@${host}:6379"`],
    [/An @ follows .* must be %3F, %2F and %40\./, `db://app:12/s3cret?4=5@${host}`],
    [/the database of the connection string is \. or \.\., which drivers drop\.$/, `${srv}/..`],
    [/must have exactly one host name, without a port\.$/, `${srv},a.example`, `${srv}:27017`],
    [
      /does not begin with a scheme, a colon and two slashes, such as mongodb\+srv:\/\/\.$/,
      "app:s3cret",
      '{"password":"s3cret"}',
      `mongodb+srv:/app:s3cret@${host}`,
      `mongodb+srv//app:s3cret@${host}`,
    ],
  ];
  it("names each mistake in a string, and prints no part of it", async () => {
    for (const [expected, ...texts] of mistakes) {
      for (const URL of texts) {
        const { code, output, error } = await run(variable, { URL });
        assert.deepEqual([code, output], [1, ""], URL);
        assert.match(error, expected);
        assert.match(error, /^Could not check the string: /);
        assert.doesNotMatch(error, /s3cret|ab1cd|db_password|add tls/i);
      }
    }
  });

  it("says how to check the output of a stack if the variable is not set, or blank", async () => {
    const expected =
      "Could not check the string: DATABASE_URL is not set here, or empty. To check the output DATABASE_URL of a stack:\n\n  pulumi stack output DATABASE_URL --show-secrets | npx clouddb-connection-strings check";
    for (const environment of [{}, { DATABASE_URL: " \n" }]) {
      const { code, error } = await run(["--variable", "DATABASE_URL"], environment);
      assert.deepEqual([code, error], [1, expected]);
    }
  });

  for (const [what, expectedCode, args, expected, input] of [
    ["no string at a terminal", 2, [], /: --variable NAME is missing, and nothing is piped/],
    ["nothing on standard input", 1, [], /: standard input is empty\. If another command/, "\n"],
    ["a string as an argument", 2, [secret], /: unexpected argument\. .* other processes can see/],
    ["a string as an option", 2, [`--${secret}`], /: unknown option; see/],
    ["an unknown option", 2, ["--url=s3cret"], /: unknown option '--url'; see/],
    ["an option without its value", 2, ["--variable"], /: option '--variable <value>' argument/],
    ["a name as the resolver", 2, [...variable, "--resolver", "dns"], /--resolver must be the IP/],
    [
      "a string as the name of a variable",
      2,
      ["--variable", secret],
      /--variable must be the name of an environment variable, not its value; see/,
    ],
  ] as const) {
    it(`exits ${expectedCode} with ${what}`, async () => {
      const { code, output, error } = await run([...args], { URL: secret }, input);
      assert.deepEqual([code, output], [expectedCode, ""]);
      assert.match(error, expected);
      assert.doesNotMatch(error, /s3cret/);
      const program = "clouddb-connection-strings check";
      if (expectedCode === 2) assert.ok(error.startsWith(`${program}: `), error);
      if (expectedCode === 2) assert.ok(error.endsWith(`; see ${program} --help`), error);
    });
  }

  it("prints its help, whatever else is passed", async () => {
    const { code, output, error } = await run(["--variable", "--help"]);
    assert.deepEqual([code, error], [0, ""]);
    assert.match(output, /^Usage: clouddb-connection-strings check /);
  });
});
