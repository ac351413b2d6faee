/** Tests digest authentication with Apache httpd and mod_auth_digest, over TLS. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loopbackCertificate } from "../../support/certificate";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { stopChild } from "../../support/command";
import { freePort } from "../../support/freePort";
import { waitUntil } from "../../support/waitUntil";
import { errorOf, testClient } from "./testClient";

const httpd = "/usr/sbin/apache2";
const modules = "/usr/lib/apache2/modules";
const realm = "clusters, and more";
const key = { publicKey: "public", privateKey: "apache-private" };

/** A nonce expires after two seconds, and its count is checked. */
const configuration = (folder: string, port: number) => `
${["mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_digest", "ssl"]
  .map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
  .join("\n")}
ServerName 127.0.0.1
ServerRoot "${folder}"
PidFile "${folder}/httpd.pid"
ErrorLog "${folder}/error.log"
LogFormat "%>s" status
CustomLog "${folder}/access.log" status
User nobody
Group nogroup
Listen 127.0.0.1:${port}
AuthDigestShmemSize 1M
SSLEngine on
SSLCertificateFile "${folder}/server.crt"
SSLCertificateKeyFile "${folder}/server.key"
DocumentRoot "${folder}/htdocs"
<Directory "${folder}/htdocs">
  AuthType Digest
  AuthName "${realm}"
  AuthDigestProvider file
  AuthDigestNonceLifetime 2
  AuthDigestNcCheck On
  AuthUserFile "${folder}/users"
  Require valid-user
</Directory>
`;

describe("digest authentication with Apache httpd", () => {
  const cleanup = useCleanup("test");

  it("fetches one challenge, counts the uses of its nonce, and replaces a stale one", async function () {
    if (!existsSync(httpd) || !existsSync(join(modules, "mod_auth_digest.so"))) {
      console.log("      skipped: Apache httpd is not installed (Debian: apt-get install apache2)");
      this.skip();
    }
    const folder = temporaryFolder(cleanup);
    chmodSync(folder, 0o755);
    const certificate = await loopbackCertificate();
    const port = await freePort();
    const secret = [key.publicKey, realm, key.privateKey].join(":");
    const hash = createHash("md5").update(secret).digest("hex");
    const list = { results: [{ name: "orders", dbVersion: "7.0.12" }], totalCount: 1 };
    for (const [name, text] of [
      ["server.crt", certificate.cert],
      ["server.key", certificate.key],
      ["users", `${key.publicKey}:${realm}:${hash}\n`],
      ["htdocs/api/service/v1.0/groups/p/clusters", JSON.stringify(list)],
      ["httpd.conf", configuration(folder, port)],
    ] as const) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const args = ["-D", "FOREGROUND", "-f", join(folder, "httpd.conf")];
    const server = spawn(httpd, args, { stdio: "inherit" });
    cleanup(() => stopChild(server, "SIGTERM"));
    await waitUntil("httpd runs", () => existsSync(join(folder, "httpd.pid")));

    const clientOf = (privateKey: string) => {
      const credentials = { kind: "apiKey", publicKey: key.publicKey, privateKey } as const;
      return testClient(
        { url: `https://127.0.0.1:${port}`, ca: certificate.cert },
        { credentials },
      );
    };
    const client = clientOf(key.privateKey);
    for (const seconds of [0, 0, 0, 2.5]) {
      await sleep(seconds * 1000);
      assert.equal((await client.listClusters("p")).clusters[0]?.name, "orders");
    }
    assert.equal((await errorOf(clientOf("wrong").listClusters("p"))).code, "authentication");

    const statuses = () => readFileSync(join(folder, "access.log"), "utf8").trim().split("\n");
    const expected = ["401", "200", "200", "200", "401", "200", "401", "401"];
    await waitUntil("the log is complete", () => statuses().length >= expected.length, statuses);
    assert.deepEqual(statuses(), expected);
  });
});
