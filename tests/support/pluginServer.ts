/** A server of plugins, as `pluginDownloadURL` or `--server` names one. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Cleanup } from "./cleanup";

export interface PluginServer {
  readonly url: string;
  /** The paths that were requested. */
  readonly requested: readonly string[];
}

/** Serves the files in a folder on loopback. Everything else is a 404. */
export async function servePlugins(cleanup: Cleanup, folder: string): Promise<PluginServer> {
  const requested: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    requested.push(url);
    readFile(join(folder, decodeURIComponent(url))).then(
      (file) => response.end(file),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { url: `http://127.0.0.1:${address.port}`, requested };
}
