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
    assert.match(output, /^warning +string +there is white space around the string, which some/);
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
    [
      "an IPv6 address",
      "db://[::1]:1/?tls=true",
      /^ok +addresses +\[::1\] +::1 \(this machine\)$/m,
    ],
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

  const output =
    /The text is what a program writes for an output .* Use pulumi\.interpolate or apply\.$/;
  const assigned = /The text begins with a name and = or :\. Remove them where it is set\.$/;
  const onlyString =
    /The text contains other text, .* Keep only the string, from its scheme to the next/;
  const another = /The text is the string of another kind of server/;
  const base64 = Buffer.from(srv).toString("base64");
  const rest =
    "Remove the quotes where the variable is set\\. A file for docker --env-file needs none\\.";
  /** Texts that cannot be parsed. The unit tests of `diagnose` have more with the same mistakes. */
  const mistakes: readonly (readonly [RegExp, ...string[]])[] = [
    [new RegExp(`The text begins and ends with a quote\\. ${rest}$`), `"${srv}"`],
    [/The text begins or ends with a quote\./, `${srv}'`],
    [/ # in .* Write %23\. .* % in .* Write %25\.$/, `db://app:s3cret#%@${host}`],
    [
      /The character @ in the user name or password is not percent-encoded\. Write %40\.$/,
      `db+srv://app:s3cret@x@${host}`,
    ],
    [/A space in the user name or password .* Write %20\./, `db+srv://app:s3cret a@${host}`],
    [
      /The password is a placeholder\. Replace it, including any brackets\.$/,
      `db+srv://app:[YOUR-PASSWORD]@${host}`,
    ],
    [/The user name is a placeholder\./, `db+srv://<username>:s3:cret@${host}`],
    [/The host is a placeholder\./, "db+srv://app:s3cret@<cluster>"],
    [/ : in .* The database is a placeholder\./, `db+srv://app:s3cret:x@${host}/<DATABASE>`],
    [
      / @ in .* Drivers refuse the value of retryWrites\. Write true or false\.$/,
      `db+srv://app:s3@cret@${host}/shop?retryWrites=treu`,
    ],
    [/The text has no host\./, "db+srv://app:s3cret@/shop"],
    [
      output,
      `db+srv://app:Calling [toString] on an [Output<T>] is not supported@${host}`,
      `db+srv://app:Calling __str__ on an Output[T] is not supported.\n\nTo get@${host}`,
      `db+srv://app:Calling%20%5BtoString%5D%20on%20an%20%5BOutput%3CT%3E%5D%20is%20not%20supported.@${host}`,
      `db+srv://app:[object Promise]@${host}`,
    ],
    [assigned, `URL=${srv}`, ` export URL="${srv}"`, `URL: ${srv}\n`, `const uri = "${srv}";`],
    [
      /The text contains other text, such as a command and its options\. Keep only the string, from its scheme to the next space or quote\.$/,
      `mongosh ${srv}`,
      `mongosh "${srv}/" --username app --password s3cret`,
      `mongosh "db+srv://${host}/" --apiVersion 1`,
    ],
    [
      /\. Options such as --username do not count, so add a user name and a password to it\.$/,
      `mongosh "db+srv://${host}/" --apiVersion 1 --username app`,
      `mongosh db+srv://${host} -u app -p s3cret`,
      `db+srv://app@${host}/ --password=s3cret`,
    ],
    [
      /The text is JSON or another object that contains the string\. Keep only the string, without its quotes\.$/,
      `{"url":"${srv}"}`,
      ` ["${srv}"]\n`,
    ],
    [/The text begins with < and ends with >\. Remove both\.$/, `<${srv}>`, ` "<${srv}>"`],
    [
      /The text is \[secret\], which Pulumi prints instead of a secret\. Read the output with `pulumi stack output NAME --show-secrets`\.$/,
      "[secret]",
      '"[secret]"\n',
    ],
    [
      /The password is \[secret\], which Pulumi prints instead of a secret\. Read the output with .*`\.$/,
      `db+srv://app:[secret]@${host}/`,
    ],
    [
      /The text is what a program writes for a missing value\. See which variable or output was not set where the text was built\.$/,
      "undefined",
      "null",
      " 'None'",
      "<nil>",
    ],
    [
      /The text is a reference to a variable or a secret that nothing replaced\. .* single quotes, .* --env-file .* the value itself\.$/,
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
      /The text is a placeholder\. Replace it, including any brackets\.$/,
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
    [
      /The text is base64, as in a Kubernetes Secret\./,
      `${base64}\n`,
      base64.replace(/.{20}/g, "$&\n"),
    ],
    [
      another,
      `jdbc:mysql://${host}/shop?password=s3cret`,
      `"rediss://:s3cret@${host}:6379"`,
      `postgres://app:s3cret@${host}`,
    ],
    [/The text begins with jdbc:\. Remove it\.$/, `jdbc:mongodb://app:s3cret@${host}`],
    [/An @ follows .* write %3F, %2F and %40 for/, `db://app:12#/s3cret?4=5@${host}`],
    [/must have exactly one host name, without a port\./, `${srv},a.example`, `${srv}:27017`],
    [
      /does not begin with a scheme, a colon and two slashes\. Begin it with a scheme, such as mongodb\+srv:\/\/\.$/,
      "app:s3cret",
      '{"password":"s3cret"}',
      `mongodb+srv:/app:s3cret@${host}`,
      `mongodb+srv//app:s3cret@${host}`,
    ],
    [
      /The @ before the host is missing, .* Write @ between the password and the host, /,
      `db+srv://app:s3cret${host}/?w=1`,
    ],
  ];
  it("names each mistake in text that cannot be parsed, and prints no part of it", async () => {
    for (const [expected, ...texts] of mistakes) {
      for (const URL of texts) {
        const { code, output, error } = await run(variable, { URL });
        assert.deepEqual([code, output], [1, ""], URL);
        assert.match(error, expected);
        assert.match(error, /^Could not check the string: the text is not a connection string\. /);
        assert.doesNotMatch(error, /s3cret|ab1cd|db_password|add tls/i);
      }
    }
  });

  /** The tests of the rules have more of them. */
  for (const [what, URL, row, advice] of [
    [
      "a scheme in capitals",
      `db+SRV://app:s3cret@${host}`,
      /scheme with capital letters$/m,
      /Write it in lower case/,
    ],
    [
      "a misspelled scheme",
      `mongodb-srv://app:s3cret@${host}`,
      /the scheme, which is misspelled$/m,
      /Did you mean mongodb\+srv:\/\/\?$/,
    ],
    [
      "a placeholder",
      `db+srv://app:%3Cs3cret%3E@${host}`,
      /the password is a placeholder$/m,
      /including any brackets\.$/,
    ],
    [
      "a missing &",
      `db://app:s3cret@${host}/?ssl=truereplicaSet=s3cret`,
      /the value of ssl contains another option$/m,
      /Put & between the options\.$/,
    ],
    [
      "a quote that was left over",
      `${srv}/?retryWrites=true&w=majority"`,
      /the value of w ends with a quote$/m,
      /Remove it\.$/,
    ],
  ] as const) {
    it(`reports ${what} as a problem, and asks no host`, async () => {
      const { code, output, error } = await run(variable, { URL });
      assert.deepEqual([code, error], [1, ""]);
      assert.match(output, row);
      assert.match(output, /^problem +(?:string|options) [^\n]*\nNot reachable\. /);
      assert.match(output, advice);
      assert.doesNotMatch(output, /s3cret|ab1cd|tls=true/);
    });
  }

  it("says how to check the output of a stack if the variable is not set, or blank", async () => {
    const expected =
      "Could not check the string: DATABASE_URL is not set here, or empty. To check the output DATABASE_URL of a stack:\n\n  pulumi stack output DATABASE_URL --show-secrets | npx --no clouddb-connection-strings check";
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
