/** Servers that want a certificate of the client: what the check says, and what the official driver does there. */
import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TLSSocket, type TlsOptions, createServer } from "node:tls";
import { loopbackCertificate } from "../../../support/certificate";
import { temporaryFolder, useCleanup } from "../../../support/cleanup";
import { driverProblem, startDns, startHosts } from "../../../support/databaseHosts";
import { checkString } from "./runCheck";

const host = "a.db.example";

/** What a server does with the certificate of a client. */
const servers = {
  "requires a certificate": { requestCert: true, rejectUnauthorized: true },
  "asks for a certificate": { requestCert: true, rejectUnauthorized: false },
  "asks for none": {},
} as const;

/** The end of the report with each certificate of the client, from a server that requires one. */
const reports = {
  "no certificate":
    /^problem +TLS .* the server requires a client certificate, and the string names none\nNot reachable\.\nUsual causes: a string without tlsCertificateKeyFile, /m,
  "the right certificate": /\nReachable\.$/,
  "another certificate":
    /^problem +TLS .* the server refuses the client certificate in tlsCertificateKeyFile\nNot reachable\.\nUsual causes: a client certificate that has expired, /m,
} as const;

describe("the check of a string with a client certificate, beside the official driver", () => {
  const cleanup = useCleanup("test");

  /** Writes a certificate and its key into a file. */
  const clientFile = async (passphrase?: string, cipher = "aes-256-cbc") => {
    const { cert, key } = await loopbackCertificate();
    const encrypted =
      passphrase === undefined
        ? key
        : createPrivateKey(key).export({
            type: "pkcs8",
            format: "pem",
            cipher,
            passphrase,
          });
    const file = join(temporaryFolder(cleanup), "client.pem");
    writeFileSync(file, `${cert}\n${encrypted.toString()}`);
    return { cert, option: `tlsCertificateKeyFile=${encodeURIComponent(file)}` };
  };

  for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
    for (const [what, wanted] of Object.entries(servers)) {
      for (const [given, report] of Object.entries(reports)) {
        it(`knows a server that ${what}, with ${version} and ${given}`, async () => {
          const right = await clientFile("p4ss");
          const other = await clientFile();
          const options = { minVersion: version, maxVersion: version, ca: right.cert, ...wanted };
          const hosts = await startHosts(cleanup, { [host]: "router" }, [host], false, options);
          const { address } = await startDns(cleanup, {});
          const url = `mongodb://${hosts.list.join()}/?tls=true&tlsCAFile=${encodeURIComponent(hosts.caFile)}`;
          const files = {
            "no certificate": "",
            "the right certificate": `&${right.option}&tlsCertificateKeyFilePassword=p4ss`,
            "another certificate": `&${other.option}`,
          };
          const string = `${url}${files[given as keyof typeof files]}`;
          const checked = await checkString(string, { resolver: address });
          const isRequired = what === "requires a certificate";
          assert.match(checked.report, isRequired ? report : /\nReachable\.$/);
          const problem = await driverProblem(string, address);
          assert.equal(checked.isReachable, problem === undefined, `${problem}\n${checked.report}`);
        });
      }
    }
  }

  /** Starts a server that notes for each connection whether it received a certificate. Returns its port. */
  const startServer = async (options: TlsOptions, received: boolean[]) => {
    const server = createServer(options);
    const record = (socket: TLSSocket) => received.push("raw" in socket.getPeerCertificate());
    server.on("secureConnection", record);
    server.on("tlsClientError", (_, socket) => record(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanup(() => server.close());
    return (server.address() as AddressInfo).port;
  };

  it("sends no certificate if the string does not use TLS", async () => {
    const { cert: ca, option } = await clientFile();
    const own = await loopbackCertificate(["localhost"]);
    const caFile = join(temporaryFolder(cleanup), "ca.pem");
    writeFileSync(caFile, own.cert);
    const received: boolean[] = [];
    const wanted = { ca, requestCert: true, rejectUnauthorized: false };
    const port = await startServer({ ...own, ...wanted }, received);
    const { address } = await startDns(cleanup, {});
    const string = `mongodb://localhost:${port}/?tls=false&${option}&tlsCAFile=${encodeURIComponent(caFile)}`;
    const { report } = await checkString(string, { resolver: address });
    assert.match(report, /the host speaks TLS, but the string does not use it/);
    assert.deepEqual(received, [false]);
  });

  for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
    it(`sends no certificate to a server of another authority, with ${version}`, async () => {
      const { cert: ca, option } = await clientFile();
      const own = await loopbackCertificate([host]);
      const received: boolean[] = [];
      for (const rejectUnauthorized of [true, false]) {
        const wanted = { ca, requestCert: true, rejectUnauthorized };
        const versions = { minVersion: version, maxVersion: version };
        const port = await startServer({ ...own, ...wanted, ...versions }, received);
        const { address } = await startDns(cleanup, {});
        const string = `mongodb://${host}:${port}/?tls=true&${option}`;
        const { report } = await checkString(string, { resolver: address });
        assert.match(report, /^problem +TLS .* the certificate is not trusted /m);
      }
      assert.deepEqual(received, [false, false]);
    });
  }

  it("asks no host if the key cannot be read with the password of the string", async () => {
    const { address, asked } = await startDns(cleanup, {});
    for (const [cipher, password] of [
      ["aes-256-cbc", ""],
      ["aes-256-cbc", "&tlsCertificateKeyFilePassword=wrong"],
      // Its wrong passwords have the code that those of other ciphers have by chance.
      ["aes-256-cfb", "&tlsCertificateKeyFilePassword=wrong"],
    ] as const) {
      const { option } = await clientFile("right", cipher);
      const string = `mongodb://${host}/?tls=true&${option}${password}`;
      const { report } = await checkString(string, { resolver: address });
      assert.match(
        report,
        /^problem +options +the file of tlsCertificateKeyFile cannot be opened with tlsCertificateKeyFilePassword \(ERR_OSSL_\w+\)\nNot reachable\. Set tlsCertificateKeyFilePassword to the password of the key\.$/m,
      );
      assert.deepEqual(asked, []);
      assert.match(
        (await driverProblem(string, address)) ?? "connected",
        /bad decrypt|unsupported/,
      );
      asked.length = 0;
    }
  });

  it("asks no host if the file has no certificate with its key", async () => {
    const { cert } = await loopbackCertificate();
    const { address, asked } = await startDns(cleanup, {});
    const file = join(temporaryFolder(cleanup), "client.pem");
    writeFileSync(file, cert);
    const string = `mongodb://${host}/?tls=true&tlsCertificateKeyFile=${encodeURIComponent(file)}`;
    const { report } = await checkString(string, { resolver: address });
    assert.match(
      report,
      /has no certificate with its key \(ERR_OSSL\w+\)\nNot reachable\. Put the/,
    );
    assert.deepEqual(asked, []);
  });
});
