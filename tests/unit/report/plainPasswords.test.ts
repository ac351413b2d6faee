import assert from "node:assert/strict";
import { reportOn, secret, shownText, update, urnOf } from "./recorded";

const stack = { op: "same", urn: urnOf("infra-dev", "pulumi:pulumi:Stack"), old: { outputs: {} } };
const host = "orders-pri.ab1cd.db.example";
const url = { connectionString: `db+srv://${host}`, username: "app", password: secret };
const steps = (outputs: object, properties: object = url) => [
  {
    op: "same",
    urn: urnOf("orders", "clouddb:index:DatabaseUrl"),
    old: { inputs: properties },
    new: { inputs: properties },
  },
  { ...stack, new: { outputs } },
];
const found = (outputs: object, properties?: object) =>
  reportOn({ steps: steps(outputs, properties) }).plainPasswords;

describe("the warning of a plain password", () => {
  it("stands in the first lines, and names the output and the user", () => {
    const text = shownText(steps({ leak: `db+srv://app:hunter2@${host}/shop` }));
    assert.match(
      text,
      /\n\nChanges to 1 stack output\.\n\n> \[!WARNING\]\n> Output `leak` has a password for database user `app` in plain text\.\n/,
    );
    assert.doesNotMatch(text, /hunter2/);
  });

  for (const [what, output] of [
    ["a URL", `db+srv://app:hunter2@${host}/shop`],
    ["an encoded one", `db+srv://app:hun%2Fter%402@${host}`],
    ["one that is not encoded", `db+srv://app:p/w?d@${host}`],
    ["a part of an object", { nested: [{ url: `db+srv://app:hunter2@${host}` }] }],
    ["JSON", JSON.stringify({ text: JSON.stringify({ url: `db+srv://app:hunter2@${host}` }) })],
    ["an assignment", `DATABASE_URL='db+srv://app:hunter2@${host}'`],
    ["a URL without its scheme", `DATABASE_URL=app:hunter2@${host}`],
    ["the list of hosts", `db://app:hunter2@${host}:27017,b.db.example:27017/`],
    ["text that only resembles a placeholder", `db+srv://app:$ecret1@${host}`],
    ["text that only begins like one", `db+srv://app:xxxy@${host}`],
    ["a password that contains a placeholder", `db+srv://app:a<b>@${host}`],
  ] as const) {
    it(`is given for ${what}`, () => {
      assert.deepEqual(found({ leak: output }), [{ output: "leak", user: "app" }]);
      assert.doesNotMatch(shownText(steps({ leak: output })), /hunter2|hun%2F/);
    });
  }

  const asText = "Calling [toString] on an [Output<T>] is not supported.\n\nSee x`";
  for (const text of [
    "*",
    "****",
    "xxxx",
    "XXX",
    "...",
    "•••",
    "<password>",
    "%3Cpassword%3E",
    "[secret]",
    "[REDACTED]",
    "{password}",
    "{{ .Values.password }}".replaceAll(" ", ""),
    "$DB_PASSWORD",
    "$dbPassword",
    "%24DB_PASSWORD",
    "${DB_PASSWORD}",
    "$%7BDB_PASSWORD%7D",
    "$(DB_PASSWORD)",
    "$(cat password.txt)",
    "%s",
    "%25s",
    "YOUR_PASSWORD",
    asText,
    encodeURIComponent(asText),
    "",
  ]) {
    it(`is not given for the placeholder ${JSON.stringify(text)}`, () => {
      assert.deepEqual(found({ template: `db+srv://app:${text}@${host}/shop` }), []);
    });
  }

  for (const [what, outputs, properties] of [
    ["a user without a password", { plain: `db+srv://app@${host}` }],
    ["the user of another system", { plain: `db+srv://myapp:hunter2@${host}` }],
    ["another host", { plain: "db+srv://app:hunter2@other.db.example" }],
    ["a secret output", { url: secret }],
    ["a user that is a secret", { leak: `db+srv://app:x@${host}` }, { ...url, username: secret }],
    ["a secret string", { leak: `db+srv://app:x@${host}` }, { ...url, connectionString: secret }],
  ] as const) {
    it(`is not given for ${what}`, () => {
      assert.deepEqual(found(outputs, properties), []);
    });
  }

  it("is not repeated by a preview that does not change the output", () => {
    const outputs = { leak: `db+srv://app:hunter2@${host}` };
    const [resource] = steps({});
    const states = { old: { outputs }, new: { outputs } };
    assert.deepEqual(
      reportOn({ steps: [resource ?? {}, { ...stack, ...states }] }).plainPasswords,
      [],
    );
  });

  it("is given for an output that a changed URL reaches, with the user of before or after", () => {
    const type = "clouddb:index:DatabaseUrl";
    const step = { ...update("orders", url, { ...url, username: "b" }), urn: urnOf("a", type) };
    const outputs = { a: `db+srv://app:x@${host}`, b: `db+srv://b:x@${host}` };
    const report = reportOn({ steps: [step, { ...stack, new: { outputs } }] });
    assert.deepEqual(report.plainPasswords, [
      { output: "a", user: "app" },
      { output: "b", user: "b" },
    ]);
  });
});
