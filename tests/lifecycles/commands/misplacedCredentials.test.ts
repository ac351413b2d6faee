/** What every reader of the settings prints and sends if they contain credentials in the wrong place. */
import assert from "node:assert/strict";
import * as grpc from "@grpc/grpc-js";
import * as messages from "@pulumi/pulumi/proto/engine_pb";
import * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import { CloudDbProvider } from "../../../plugin/src/provider";
import type { Command } from "../../../provider/src/commands/command";
import { doctor } from "../../../provider/src/commands/doctor";
import { preview } from "../../../provider/src/commands/preview";
import { report } from "../../../provider/src/commands/report";
import {
  type ForeignService,
  type Handler,
  respondWith,
  sendChallenge,
  sendJson,
  useForeignService,
} from "../../support/foreignService";
import { projectId, settingsFor } from "../../support/service";
import { lifecyclesInProcess } from "../lifecyclesInProcess";
import { runCommand } from "./runCommand";

type Variables = Readonly<Record<string, string>>;

const uuid = "a1b2c3d4-2222-4333-8444-555555555555";
const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzdmMifQ.c2lnbmF0dXJl";
const clientSecret = "mdb_sa_sk_Zm9vYmFyLWJheg";
const clientId = "mdb_sa_id_0123456789abcdef01234567";
/** A secret that percent-encoding changes. */
const encodedSecret = "a+b/c-7311";
const base64 = Buffer.from(`svc:${encodedSecret}`).toString("base64");
/** A secret that could be the name of a stack. */
const word = "only-letters";
const secrets = [uuid, jwt, clientSecret, encodedSecret, "c-7311", base64, "pass/word", word];

const apiKey = (CLOUDDB_PUBLIC_KEY: string, CLOUDDB_PRIVATE_KEY = uuid): Variables => ({
  CLOUDDB_PUBLIC_KEY,
  CLOUDDB_PRIVATE_KEY,
});
const account = (CLOUDDB_CLIENT_ID: string, CLOUDDB_CLIENT_SECRET = clientSecret): Variables => ({
  CLOUDDB_CLIENT_ID,
  CLOUDDB_CLIENT_SECRET,
});
const keysAsJson = JSON.stringify({ public_key: "abcdefgh", private_key: uuid });

const commands: [command: Command, args: string[]][] = [
  [doctor, ["--project", projectId]],
  [doctor, ["--json", "--project", projectId]],
];

/** Returns what the commands, a dynamic provider and the plugin print with these variables. */
async function outputsWith(environment: Variables): Promise<string[]> {
  const outputs: string[] = [];
  for (const [command, args] of commands) {
    const { stdout, stderr } = await runCommand(command, args, environment);
    outputs.push(stdout + stderr);
  }
  const lookup = { projectId, clusterName: "orders" };
  const dynamic = lifecyclesInProcess("clusterConnectionStrings", { ...environment }, "", "");
  outputs.push(JSON.stringify((await dynamic.check(lookup)).failures) + dynamic.output());
  const modules = { grpc, services, messages };
  const plugin = new CloudDbProvider({ engineAddress: undefined, modules, environment });
  const { failures } = await plugin.checkConfig({}, []);
  const { failures: ofCall = [] } = await plugin.invoke("clouddb:index:getClusters", { projectId });
  outputs.push(JSON.stringify([failures, ofCall]));
  return outputs;
}

describe("a credential in the wrong setting", () => {
  const startForeign = useForeignService();

  /** Returns the variables for a service with other credentials. */
  const variablesFor = (service: ForeignService, credentials: Variables): Variables => {
    const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...others } = settingsFor(service);
    return { ...others, ...credentials };
  };

  const valid = apiKey("abcdefgh");
  const isMore = / contains a (?:brace|quote|colon).*, so it may be more than the /;
  const isSecret = / contains the value of \S+, which is a secret, plain or encoded\./;
  const isClientSecret = / contains the secret of a service account \(mdb_sa_sk_…\)/;
  const isToken = / contains an access token /;
  const isUrl = / contains a URL with a user name or password\./;
  const refused: [what: string, credentials: Variables, mistake: RegExp][] = [
    ["the JSON of a secret manager as both keys", apiKey(keysAsJson, keysAsJson), isMore],
    ["an account in base64 as its ID", account(base64, encodedSecret), isSecret],
  ];
  for (const [what, credentials, mistake] of refused) {
    it(`is named, and neither printed nor sent: ${what}`, async () => {
      const service = await startForeign(respondWith(500, {}));
      for (const output of await outputsWith(variablesFor(service, credentials))) {
        assert.match(output, mistake);
        for (const secret of secrets) assert.ok(!output.includes(secret), output);
      }
      assert.deepEqual(service.requests, []);
    });
  }

  const wrongArguments: [command: Command, name: string, args: string[], mistake: RegExp][] = [
    [doctor, "doctor", ["--project", jwt], isToken],
    [doctor, "doctor", [`--project=${uuid}`], isSecret],
    [doctor, "doctor", ["--stack", `mongodb://app:${uuid}@h.example/`], isSecret],
    [preview, "preview", ["--stack", clientSecret], isClientSecret],
    [preview, "preview", ["--stack", "a", "--markdown", "mongodb://app:pass/word@h"], isUrl],
    [preview, "preview", [word], isSecret],
    [report, "report", ["events.jsonl", "--", word], isSecret],
    [report, "report", ["events.jsonl", "mongodb://app:pass/word@h"], isUrl],
  ];
  for (const [command, name, args, mistake] of wrongArguments) {
    it(`is named, and neither printed nor sent: in ${name} ${args[0]}`, async () => {
      const service = await startForeign(respondWith(500, {}));
      const environment = { ...variablesFor(service, valid), CLOUDDB_CLIENT_SECRET: word };
      const { code, stdout, stderr } = await runCommand(command, args, environment);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, mistake);
      assert.match(stderr, /^pulumi-clouddb \w+: (?:--\w+|an argument) contains /);
      for (const secret of secrets) assert.ok(!stderr.includes(secret), stderr);
      assert.deepEqual(service.requests, []);
    });
  }

  /** Returns a handler that refuses the credentials of a request with an error. */
  const refuse =
    (detailOf: (authorization: string) => string): Handler =>
    ({ headers: { authorization = "" }, path }, response) => {
      if (authorization === "" && path !== "/api/oauth/token") sendChallenge(response);
      else sendJson(response, 403, { detail: detailOf(authorization) });
    };
  const redaction = /403: \\?"\[redacted: contains the value of a secret setting\]\\?"/;

  it("causes a warning, and is not printed, if it may be right: a client secret in quotes", async () => {
    const service = await startForeign(refuse((authorization) => authorization));
    const environment = variablesFor(service, account(clientId, `'${clientSecret}'`));
    for (const [command, args] of commands) {
      const { stdout, stderr } = await runCommand(command, args, environment);
      const output = stdout + stderr;
      assert.match(output, / begins and ends with a quote\. Unless /);
      assert.match(output, redaction);
      assert.ok(!output.includes(clientSecret), output);
    }
  });

  for (const [what, credentials, detail] of [
    ["a public key that is a UUID", apiKey(uuid, "abcdefgh"), `There is no user ${uuid}.`],
    ["a secret that is part of a word", apiKey("abcdefgh", "test"), "Use the latest version."],
  ] as const) {
    it(`hides the service's text that contains ${what}`, async () => {
      const service = await startForeign(refuse(() => detail));
      const environment = variablesFor(service, credentials);
      for (const [command, args] of commands) {
        const { stdout, stderr } = await runCommand(command, args, environment);
        assert.match(stdout + stderr, redaction);
        assert.ok(!(stdout + stderr).includes(uuid), stdout + stderr);
      }
    });
  }
});
