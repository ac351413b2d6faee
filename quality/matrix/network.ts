/** npm's settings for downloads. All package managers use them. */
import { execFileSync } from "node:child_process";

/** How to reach the registry. */
export interface Network {
  readonly registry: string;
  /** A file with CA certificates. */
  readonly cafile: string | undefined;
  readonly proxy: string | undefined;
  readonly httpsProxy: string | undefined;
}

/** Reads npm's settings. */
export function readNetwork(): Network {
  const names = ["registry", "cafile", "proxy", "https-proxy"];
  return parseNetwork(execFileSync("npm", ["config", "get", ...names], { encoding: "utf8" }));
}

/**
 * Parses settings.
 *
 * @param text what `npm config get` prints for several settings: `name=value` lines
 */
function parseNetwork(text: string): Network {
  const settings = new Map(
    text
      .split("\n")
      .map((line) => /^([\w-]+)=(.*)$/.exec(line.trim()))
      .flatMap((match) => (match === null ? [] : [[match[1], match[2]] as const])),
  );
  const get = (name: string) => {
    const value = settings.get(name);
    return value === undefined || value === "" || value === "null" ? undefined : value;
  };
  const registry = get("registry");
  if (registry === undefined)
    throw new Error("npm has no registry. Set it: npm config set registry");
  return {
    registry,
    cafile: get("cafile"),
    proxy: get("proxy"),
    httpsProxy: get("https-proxy"),
  };
}

/** Returns the environment variables from which npm, pnpm and Yarn 1 read the settings. */
export function npmSettings({
  registry,
  cafile,
  proxy,
  httpsProxy,
}: Network): Record<string, string> {
  return {
    npm_config_registry: registry,
    ...(cafile === undefined ? {} : { npm_config_cafile: cafile }),
    ...(proxy === undefined ? {} : { npm_config_proxy: proxy }),
    ...(httpsProxy === undefined ? {} : { npm_config_https_proxy: httpsProxy }),
  };
}
