import assert from "node:assert/strict";
import { parseNetwork } from "../../../quality/matrix/network";
import { packageManagers } from "../../../quality/matrix/packageManagers";

describe("npm's settings for downloads", () => {
  it("are read without those that have no value", () => {
    const network = parseNetwork(
      "registry=https://npm.test/\ncafile=null\nproxy=\nhttps-proxy=null",
    );
    assert.deepEqual(network, {
      registry: "https://npm.test/",
      cafile: undefined,
      proxy: undefined,
      httpsProxy: undefined,
    });
  });

  it("must have a registry", () => {
    assert.throws(() => parseNetwork("registry=null"), /npm has no registry/);
  });

  it("reach every package manager", () => {
    const network = parseNetwork(
      "registry=http://npm.test/a/\ncafile=/ca.pem\nproxy=http://proxy.test\nhttps-proxy=http://secure.test",
    );
    for (const { title, environment } of Object.values(packageManagers)) {
      const values = Object.values(environment(network, "/cache"));
      for (const value of Object.values(network)) assert.ok(values.includes(String(value)), title);
    }
  });

  it("allow Yarn 4 a registry without TLS, and only then", () => {
    const { environment } = packageManagers.yarn4;
    const whitelist = (registry: string) =>
      environment(parseNetwork(`registry=${registry}`), "/cache")["YARN_UNSAFE_HTTP_WHITELIST"];
    assert.equal(whitelist("http://npm.test:4873/"), "npm.test");
    assert.equal(whitelist("https://npm.test/"), undefined);
  });
});
