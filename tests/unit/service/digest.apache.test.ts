/** Tests digest authentication with Apache httpd and mod_auth_digest, over TLS. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../../provider/src/service/client";
import { loopbackCertificate } from "../../support/certificate";
import { freePort } from "../../support/freePort";
import { errorOf, testClient } from "./testClient";

const httpd = "/usr/sbin/apache2";
const modules = "/usr/lib/apache2/modules";
const realm = "clusters, and more";
const key = { publicKey: "public", privateKey: "apache-private" };

describe("digest authentication with Apache httpd", () => {
  let folder: string;
  let server: ChildProcess | undefined;
  let port: number;
  let cert: string;

  before(async function () {
    if (!existsSync(httpd) || !existsSync(join(modules, "mod_auth_digest.so"))) {
      console.log("      skipped: Apache httpd is not installed (Debian: apt-get install apache2)");
      this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), "clouddb-apache-"));
    chmodSync(folder, 0o755);
    const certificate = await loopbackCertificate();
    cert = certificate.cert;
    port = await freePort();
    write("server.crt", certificate.cert);
    write("server.key", certificate.key);
    const secret = [key.publicKey, realm, key.privateKey].join(":");
    const hash = createHash("md5").update(secret).digest("hex");
    write("users", `${key.publicKey}:${realm}:${hash}\n`);
    write(
      "htdocs/api/service/v1.0/groups/p/clusters",
      JSON.stringify({ results: [{ name: "orders", dbVersion: "7.0.12" }], totalCount: 1 }),
    );
    write("httpd.conf", configuration(folder, port));
    server = spawn(httpd, ["-D", "FOREGROUND", "-f", join(folder, "httpd.conf")], {
      stdio: "inherit",
    });
    await waitForServer(port);
  });

  after(async () => {
    if (server === undefined) return;
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  function write(name: string, text: string) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  const clientOf = (privateKey = key.privateKey): Client => {
    const credentials = { kind: "apiKey", publicKey: key.publicKey, privateKey } as const;
    return testClient({ url: `https://127.0.0.1:${port}`, ca: cert }, { credentials });
  };

  /** The number of log lines that earlier tests have read. */
  let linesRead = 0;

  /** Waits until the server has logged this many statuses, and returns them. */
  const statuses = async (count: number) => {
    const log = () =>
      readFileSync(join(folder, "access.log"), "utf8").trim().split("\n").slice(linesRead);
    for (let attempt = 0; attempt < 100 && log().length < count; attempt += 1) await sleep(20);
    const lines = log();
    linesRead += lines.length;
    return lines;
  };

  it("fetches one challenge and increments the count of its nonce", async () => {
    const client = clientOf();
    for (let request = 0; request < 5; request += 1) {
      const [cluster] = (await client.listClusters("p")).clusters;
      assert.equal(cluster?.name, "orders");
    }
    assert.deepEqual(await statuses(6), ["401", "200", "200", "200", "200", "200"]);
  });

  it("signs again when the server reports the nonce as stale", async () => {
    const client = clientOf();
    await client.listClusters("p");
    await sleep(2500);
    assert.equal((await client.listClusters("p")).clusters.length, 1);
    assert.deepEqual(await statuses(4), ["401", "200", "401", "200"]);
  });

  it("fails after one challenge when the key is wrong", async () => {
    const { code } = await errorOf(clientOf("wrong").listClusters("p"));
    assert.equal(code, "authentication");
    assert.deepEqual(await statuses(2), ["401", "401"]);
  });
});

/** Returns a configuration in which a nonce expires after two seconds and its count is checked. */
function configuration(folder: string, port: number): string {
  const load = [
    "mpm_event",
    "authn_core",
    "authn_file",
    "authz_core",
    "authz_user",
    "auth_digest",
    "ssl",
  ]
    .map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
    .join("\n");
  return `${load}
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
}

async function waitForServer(port: number): Promise<void> {
  const { connect } = await import("node:net");
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      socket.destroy();
      return;
    } catch {
      await sleep(50);
    }
  }
  throw new Error("Apache httpd did not start");
}
