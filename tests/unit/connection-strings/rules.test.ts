/** Each rule, through the four doors that ask for it: withCredentials, DatabaseUrl, diagnose and the check. */
import assert from "node:assert/strict";
import {
  ConnectionStringError,
  type DatabaseCredentials,
  type Degree,
  diagnose,
  formatWithCredentials,
  withCredentials,
} from "../../../connection-strings/src";
import { databaseUrlLifecycle } from "../../../provider/src/databaseUrl/lifecycle";
import { checkString } from "./check/runCheck";

/** Nobody listens there, so the check says quickly what it knows about the string itself. */
const host = "mongodb://127.0.0.1:1";
const hosts = `${host},127.0.0.2:1`;
const srv = "mongodb+srv://orders.ab1cd.db.example";

type Options = NonNullable<DatabaseCredentials["options"]>;
type Case = readonly [
  string: string,
  degree: Degree | "none",
  problem: RegExp,
  given?: DatabaseCredentials,
];

const user = { username: "app", password: "p4ss" };
const withOptions = (options: Options): DatabaseCredentials => ({ ...user, options });
const without = (mechanism: string, options: Options = {}): DatabaseCredentials => ({
  options: { authMechanism: mechanism, ...options },
});

/** Options, as a caller passes them. */
const options = (degree: Case[1], problem: RegExp, ...all: Options[]): Case[] =>
  all.map((given) => [host, degree, problem, withOptions(given)]);
const inSrv = (degree: Case[1], problem: RegExp, ...all: Options[]): Case[] =>
  all.map((given) => [srv, degree, problem, withOptions(given)]);
/** Options as a string contains them. */
const text = (degree: Case[1], problem: RegExp, ...all: string[]): Case[] =>
  all.map((query) => [`${host}/?${query}`, degree, problem]);

const cases: Record<string, readonly Case[]> = {
  "values of options": [
    ...options(
      "refused",
      /^drivers refuse the value of tls$/,
      { tls: "yes" },
      { tls: "TRUE" },
      { tls: 1 },
    ),
    ...options("refused", /^drivers refuse the value of retryWrites$/, { retryWrites: "yes" }),
    ...options("warning", /^the Node.js driver 7 refuses the value of directConnection$/, {
      directConnection: "TRUE",
    }),
    ...options("warning", /^the Node.js driver 7 refuses the value of tlsAllow/, {
      tlsAllowInvalidHostnames: "yes",
    }),
    ...options("warning", /^the Node.js driver 7 refuses tlsDisableOCSPEndpointCheck$/, {
      tlsDisableOCSPEndpointCheck: true,
    }),
    ...options(
      "refused",
      /value of connectTimeoutMS$/,
      { connectTimeoutMS: "ten" },
      { connectTimeoutMS: -1 },
    ),
    ...options("warning", /^the Go driver 2 refuses the value of connect/, {
      connectTimeoutMS: 1.5,
    }),
    ...options(
      "warning",
      /^the Node.js driver 7 refuses the value of w/,
      { waitQueueTimeoutMS: -1 },
      { wTimeoutMS: -1 },
    ),
    ...options("warning", /^the Node.js driver 7 refuses the value of max/, { maxConnecting: 0 }),
    ...options("warning", /^the Go driver 2 refuses the value of timeoutMS$/, { timeoutMS: -1 }),
    ...options("refused", /value of heartbeatFrequencyMS$/, { heartbeatFrequencyMS: 499 }),
    ...options("warning", /^the Go driver 2 refuses the value of zlib/, {
      zlibCompressionLevel: 10,
    }),
    ...options("refused", /^the specification refuses the value of w$/, { w: -1 }),
    ...options("refused", /value of readPreference$/, { readPreference: "any" }),
    ...options("warning", /^the Node.js driver 7 refuses the value of readP/, {
      readPreference: "SECONDARY",
    }),
    ...options("refused", /value of authMechanism$/, { authMechanism: "MONGODB-CR" }),
    ...options("warning", /^PyMongo 4 ignores the value of authMechanism$/, {
      authMechanism: "scram-sha-256",
    }),
    ...options("warning", /^the Node.js driver 7 refuses the value of compressors$/, {
      compressors: "gzip",
    }),
    ...options("refused", /value of authMechanismProperties$/, { authMechanismProperties: "x" }),
    ...options(
      "none",
      /^/,
      { w: "dc:ny" },
      { w: 0 },
      { appName: "a:b/c" },
      { maxPoolSize: 0 },
      { zlibCompressionLevel: -1 },
    ),
    ...options("none", /^/, {
      readPreference: "secondary",
      readPreferenceTags: ["dc:ny", ""],
      maxStalenessSeconds: 120,
    }),
    ...options("warning", /^the Node.js driver 7 refuses the value of proxyHost$/, {
      proxyHost: "proxy:1080",
    }),
    ...options(
      "warning",
      /^the Node.js driver 7 refuses the value of proxyPort$/,
      { proxyHost: "proxy", proxyPort: 0 },
      { proxyHost: "proxy", proxyPort: 65_536 },
    ),
    ...options("none", /^/, { unknown: "x" }, { connect: "direct" }),
    ...options("warning", /^the Node.js driver 7 refuses an option that resembles retryWrites/, {
      retryWrite: true,
    }),
    ...options("warning", /^the Node.js driver 7 refuses an option that resembles wTimeoutMS/, {
      wTimeoutS: 2500,
    }),
    ...options("warning", /^PyMongo 4 ignores the value of wTimeout$/, { wtimeout: 2500 }),
    ...options("warning", /^the Node.js driver 7 refuses the value of wTimeout$/, { wtimeout: -1 }),
  ],
  "options without a value in a string": [
    ...text("refused", /^drivers refuse authSource without a value$/, "authSource="),
    ...text("warning", / refuse journal without a value$/, "journal="),
    ...text("warning", / refuses appName without a value$/, "appName="),
    ...text("warning", /^PyMongo 4 refuses an empty option$/, "w=1&&tls=false", "w=1&"),
    ...text("refused", /^drivers refuse w without =$/, "w"),
    ...text("none", /^/, "readPreference=nearest&readPreferenceTags="),
  ],
  "characters in options of a string": [
    ...text("warning", /^PyMongo 4 refuses a = in the value of appName$/, "appName=a=b"),
    ...text("warning", /^the Go driver 2 refuses a % in appName$/, "appName=a%zz"),
    ...text("mistake", /^the options contain a semicolon/, "appName=a;b", "a;b=c"),
    ...text(
      "mistake",
      /^the value of authSource contains another option$/,
      "authSource=adminretryWrites=true",
    ),
    ...text("mistake", /^the value of replicaSet contains another option$/, "replicaSet=rs-0?w=1"),
    ...text(
      "mistake",
      /^text that begins with a slash follows the options$/,
      "replicaSet=rs-0/shop",
      "w=1/",
    ),
    ...text("mistake", /^&amp; stands between options/, "w=1&amp;tls=false"),
    ...text("mistake", /^an option is a user name or a password/, "user=app", "PWD=p4ss"),
    ...text("none", /^/, "appName=a?b", "authMechanismProperties=SERVICE_NAME:a/b"),
  ],
  "what was left at the end of a value": [
    ...options(
      "mistake",
      /^the value of w ends with a quote$/,
      { w: 'majority"' },
      { w: "majority'" },
      { w: 'majority"}' },
    ),
    ...options(
      "mistake",
      /^the value of w ends with a line break/,
      { w: "majority\\n" },
      { w: "majority\n" },
    ),
    ...options("mistake", /^the value of w ends with a backslash$/, { w: "majority\\" }),
    ...options("mistake", /^the value of compressors ends with a comma$/, { compressors: "zlib," }),
    ...options("mistake", /^the value of appName ends with a semicolon$/, { appName: "shop;" }),
    ...options("warning", /^the value of proxyPassword ends with a comma$/, {
      proxyHost: "p",
      proxyUsername: "u",
      proxyPassword: "x,",
    }),
    ...options("warning", /^the value of proxyPassword is a placeholder$/, {
      proxyHost: "p",
      proxyUsername: "u",
      proxyPassword: "***",
    }),
  ],
  "options that stand in a string twice": [
    ...text(
      "mistake",
      /^the option authSource is in the string twice, with different values$/,
      "authSource=admin&AuthSource=shop",
    ),
    ...text("mistake", /^an option is in the string twice/, "mine=1&mine=2"),
    ...text(
      "warning",
      /^the Node.js driver 7 refuses replicaSet twice$/,
      "replicaSet=a&replicaSet=a",
    ),
    ...text("refused", /^drivers refuse tls with another value of ssl$/, "tls=true&ssl=false"),
    ...text("none", /^/, "tls=false&ssl=false"),
  ],
  "options that exclude or need another one": [
    ...options("refused", /^the specification refuses proxyUsername without proxyHost$/, {
      proxyUsername: "u",
    }),
    ...options("refused", /^the specification refuses proxyUsername without proxyPassword$/, {
      proxyHost: "p",
      proxyUsername: "u",
    }),
    ...options("refused", /proxyPort without proxyHost/, { proxyPort: 1080 }),
    ...options("none", /^/, {
      proxyHost: "a",
      proxyPort: 1080,
      proxyUsername: "b",
      proxyPassword: "c",
    }),
    ...options("refused", /tlsInsecure with tlsAllowInvalidCertificates$/, {
      tlsInsecure: true,
      tlsAllowInvalidCertificates: false,
    }),
    ...options("refused", /tlsInsecure with tlsAllowInvalidHostnames$/, {
      tlsInsecure: true,
      tlsAllowInvalidHostnames: true,
    }),
    ...options("none", /^/, { tlsAllowInvalidCertificates: true, tlsAllowInvalidHostnames: true }),
    ...options("refused", /^drivers refuse w=0 with journal=true$/, { w: 0, journal: true }),
    ...options("none", /^/, { w: 0, journal: false }, { w: 1, journal: true }),
    ...options(
      "refused",
      /^drivers refuse minPoolSize above maxPoolSize$/,
      { minPoolSize: 5, maxPoolSize: 3 },
      { minPoolSize: 101 },
    ),
    ...options("warning", /^the Node.js driver 7 refuses minPoolSize with maxPoolSize=0$/, {
      minPoolSize: 5,
      maxPoolSize: 0,
    }),
    ...options("warning", /^the Go driver 2 and PyMongo 4 refuse maxStalenessSeconds without/, {
      maxStalenessSeconds: 120,
    }),
    ...options("refused", /maxStalenessSeconds with readPreference=primary$/, {
      maxStalenessSeconds: 120,
      readPreference: "primary",
    }),
    ...options("warning", /^the Go driver 2 and PyMongo 4 refuse readPreferenceTags without/, {
      readPreferenceTags: ["dc:ny", ""],
    }),
    ...options(
      "warning",
      /^the Go driver 2 refuses readPreferenceTags with/,
      { readPreferenceTags: "" },
      { readPreferenceTags: "dc:a:b", readPreference: "primary" },
    ),
  ],
  "options and the form of the string": [
    ...options(
      "refused",
      /^drivers refuse srvMaxHosts with a list of hosts$/,
      { srvMaxHosts: 2 },
      { srvMaxHosts: 0 },
    ),
    ...options("refused", /^drivers refuse srvServiceName with a list of hosts$/, {
      SRVServiceName: "db",
    }),
    [
      hosts,
      "refused",
      /^drivers refuse loadBalanced with several hosts$/,
      withOptions({ loadBalanced: true }),
    ],
    [
      hosts,
      "refused",
      /^drivers refuse directConnection with several hosts$/,
      withOptions({ directConnection: true }),
    ],
    [hosts, "none", /^/, withOptions({ loadBalanced: false, directConnection: false })],
    ...options("refused", /loadBalanced with directConnection$/, {
      loadBalanced: true,
      directConnection: true,
    }),
    ...options("none", /^/, { loadBalanced: true }, { replicaSet: "rs-0", directConnection: true }),
    [
      `${host}/?replicaSet=rs-0`,
      "refused",
      /loadBalanced with replicaSet$/,
      withOptions({ loadBalanced: true }),
    ],
    ...inSrv("refused", /^drivers refuse directConnection with an SRV name$/, {
      directConnection: true,
    }),
    ...inSrv("refused", /srvMaxHosts with replicaSet$/, { replicaSet: "rs-0", srvMaxHosts: 2 }),
    ...inSrv("refused", /loadBalanced with replicaSet$/, {
      replicaSet: "rs-0",
      loadBalanced: true,
    }),
    ...inSrv("refused", /loadBalanced with srvMaxHosts$/, { loadBalanced: true, srvMaxHosts: 2 }),
    ...inSrv(
      "none",
      /^/,
      { directConnection: false, replicaSet: "rs-0", srvMaxHosts: 0 },
      { srvMaxHosts: 2 },
    ),
  ],
  "users, sources and properties of a mechanism": [
    ...options("refused", /^drivers refuse a password with MONGODB-X509$/, {
      authMechanism: "MONGODB-X509",
    }),
    ...options("refused", /^drivers refuse a password with MONGODB-OIDC$/, {
      authMechanism: "MONGODB-OIDC",
      authMechanismProperties: "ENVIRONMENT:k8s",
    }),
    ...options("warning", /^the Node.js driver 7 refuses MONGODB-AWS with a user and a password$/, {
      authMechanism: "MONGODB-AWS",
    }),
    ...options("warning", /^the Go driver 2 refuses SCRAM-SHA-256 with another property/, {
      authMechanism: "SCRAM-SHA-256",
      authMechanismProperties: "SERVICE_NAME:x",
    }),
    [host, "warning", /^drivers refuse MONGODB-OIDC without ENVIRONMENT$/, without("MONGODB-OIDC")],
    [
      host,
      "warning",
      /MONGODB-OIDC without TOKEN_RESOURCE$/,
      without("MONGODB-OIDC", { authMechanismProperties: "ENVIRONMENT:gcp" }),
    ],
    [
      host,
      "refused",
      /ENVIRONMENT in authMechanismProperties$/,
      without("MONGODB-OIDC", { authMechanismProperties: "ENVIRONMENT:x" }),
    ],
    [host, "none", /^/, without("MONGODB-OIDC", { authMechanismProperties: "ENVIRONMENT:k8s" })],
    [
      host,
      "refused",
      /MONGODB-X509 with another authSource than \$external$/,
      without("MONGODB-X509", { authSource: "admin" }),
    ],
    [
      host,
      "refused",
      /^drivers refuse AWS_SESSION_TOKEN without a user$/,
      without("MONGODB-AWS", { authMechanismProperties: "AWS_SESSION_TOKEN:x" }),
    ],
    [host, "none", /^/, { username: "app@REALM", options: { authMechanism: "GSSAPI" } }],
    // Services name the source of users with a password.
    [`${host}/?authSource=admin`, "none", /^/, without("MONGODB-AWS")],
  ],
  databases: [
    ...[
      ".",
      "..",
      "shop/",
      "/shop",
      "a b",
      "a\tb",
      "a$b",
      'a"b',
      "a\\b",
      "a\0b",
      "x".repeat(64),
      "é".repeat(32),
      "shop,",
      "shop?authSource=admin",
      "shop;w=1",
      "<database>",
      "undefined",
    ].map((database): Case => [host, "mistake", /^the database /, { ...user, database }]),
    [
      host,
      "warning",
      /^the Node.js driver 7 refuses a database with a dot$/,
      { ...user, database: "a.b" },
    ],
    [
      host,
      "warning",
      /^PyMongo 4 refuses the database \$external$/,
      { ...user, database: "$external" },
    ],
    [`${srv}/$external`, "warning", /^PyMongo 4 refuses the database \$external$/],
    [`${host}/%2e.`, "mistake", /^the database is \. or \.\., which drivers drop$/],
    [`${host}//shop`, "mistake", /^the database begins with a slash$/],
    [`${srv}/shop/?w=1`, "mistake", /^the database ends with a slash$/],
    [`${host}/shop,127.0.0.2:1/shop?w=1`, "mistake", /^the database stands after each host$/],
    [`${host}/a%zz`, "refused", /^drivers refuse a database that is not percent-encoded$/],
    [`${srv}/a+b`, "warning", /^PyMongo 4 refuses a \+ in the database/],
    [srv, "none", /^/, { ...user, database: "x".repeat(63) }],
    [
      host,
      "warning",
      /^drivers look for the user in the database of the path/,
      { ...user, database: "shop" },
    ],
    [`${host}/?authSource=admin`, "none", /^/, { ...user, database: "shop" }],
    [srv, "none", /^/, { ...user, database: "shop" }],
  ],
  "users and passwords, which can be any text": [
    [srv, "mistake", /^the user name is a placeholder$/, { username: "<username>", password: "x" }],
    ...["<password>", "****", "undefined", "[secret]", "${PASSWORD}"].map(
      (password): Case => [srv, "mistake", /^the password is /, { username: "app", password }],
    ),
    [srv, "warning", /^the password ends with a line break$/, { username: "app", password: "x\n" }],
    [
      srv,
      "warning",
      /^the password contains codes such as %40 after it was decoded/,
      { username: "app", password: "p%40ss" },
    ],
    [srv, "none", /^/, { username: "app", password: 'x";,%zz%41+' }],
    [srv, "none", /^/, { username: "arn:aws:iam::1:role/app", password: "x" }],
  ],
  "the rest of a string": [
    [`${hosts.replace(",", ", ")}/?tls=false`, "warning", /^there is white space between hosts/],
    ["mongodb+srv://app.undefined.example", "mistake", /^the host is what a program writes/],
    [`monogdb://127.0.0.1:1`, "refused", /^drivers refuse the scheme, which is misspelled$/],
  ],
};

const isOfUser = (subject = "") => subject === "username" || subject === "password";

describe("the rules of connection strings", () => {
  for (const [what, rows] of Object.entries(cases)) {
    it(`know ${what} at every door`, async () => {
      for (const [string, degree, problem, credentials = user] of rows) {
        const label = JSON.stringify([string, credentials]);
        const url = formatWithCredentials(string, credentials) ?? "";
        const spaced = /, /.test(string) ? url.replace(",", ", ") : url;
        const finding = diagnose(spaced).find((found) => problem.test(found.problem));
        if (degree === "none") assert.deepEqual(diagnose(url), [], label);
        else assert.equal(finding?.degree, degree, `${label} ${JSON.stringify(diagnose(spaced))}`);
        const isRefused = diagnose(spaced).some(
          (found) =>
            found.degree === "refused" || (found.degree === "mistake" && !isOfUser(found.subject)),
        );

        const outcome = outcomeOf(() => withCredentials(string, credentials));
        if (isRefused)
          assert.match(outcome, new RegExp(problem.source.replace(/^\^|\$$/g, "")), label);
        else assert.equal(outcome, url, label);

        const warnings: string[] = [];
        const lifecycle = databaseUrlLifecycle((_, message) => {
          warnings.push(message);
          return Promise.resolve();
        });
        const given = { connectionString: string, ...credentials };
        const checked = await lifecycle.check({}, given).catch(() => ({ failures: [] }));
        assert.equal(checked.failures !== undefined, isRefused, label);
        const isLogged = warnings.some((message) => message.includes(`, ${finding?.problem}. `));
        // The white space is not in the URL.
        const isWarning = finding !== undefined && !isRefused && spaced === url;
        assert.equal(isLogged, isWarning, label);

        const { isReachable, report } = await checkString(spaced, { resolver: "127.0.0.1:1" });
        assert.equal(isReachable, false);
        assert.doesNotMatch(report, /p4ss/);
        if (finding === undefined) continue;
        const mark = degree === "warning" ? "warning" : "problem";
        assert.ok(report.includes(finding.problem), `${label}\n${report}`);
        assert.match(report, new RegExp(`^${mark} +(?:string|options) `, "m"), label);
        // Drivers do not get to the hosts, or nobody means them.
        if (mark === "problem") assert.doesNotMatch(report, /^\w+ +(?:addresses|SRV|TCP) /m);
      }
    });
  }
});

/** Returns the value, or the message of the error. */
function outcomeOf(call: () => string): string {
  try {
    return call();
  } catch (error) {
    if (error instanceof ConnectionStringError) return error.message;
    throw error;
  }
}
