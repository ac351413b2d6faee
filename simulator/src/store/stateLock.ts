/** Prevents two simulators from using one state file, because each would overwrite the changes of the other. */
import { once } from "node:events";
import { realpathSync, rmSync } from "node:fs";
import { type Server, connect, createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import { StateFileError, codeOf, messageOf } from "../errors";
import { sha256 } from "./cluster";

/**
 * Locks a state file until the returned function is called or the process ends. The lock is a local socket, so the
 * operating system releases it even if the process is killed.
 *
 * @throws StateFileError if another simulator on this machine has locked the file
 * @internal
 */
export async function lockStateFile(file: string): Promise<() => void> {
  const path = socketPathFor(file);
  const server = (await listenAt(path, file)) ?? (await replaceStale(path, file));
  return () => {
    server.close();
  };
}

/** Returns the path of the socket, the same for all paths of the file. Only macOS and BSD create a file for it. */
function socketPathFor(file: string): string {
  const name = `clouddb-simulator-${sha256("state file", realPath(file)).slice(0, 32)}`;
  if (process.platform === "linux") return `\0${name}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : `/tmp/${name}`;
}

/** Returns the real path of a file that may not exist yet. */
function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    const folder = dirname(file);
    return folder === file ? file : join(realPath(folder), basename(file));
  }
}

/** Listens on a socket, and sends this process's ID to clients. Returns undefined if the path is in use. */
async function listenAt(path: string, file: string): Promise<Server | undefined> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined).end(String(process.pid));
  });
  try {
    // Without `exclusive`, workers of node:cluster would share the socket.
    await once(server.unref().listen({ path, exclusive: true }), "listening");
    return server;
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE") return undefined;
    throw new StateFileError(`The state file ${file} cannot be locked: ${messageOf(error)}`);
  }
}

/** Listens on a socket that a killed process left behind. Throws if its process is alive. */
async function replaceStale(path: string, file: string): Promise<Server> {
  const socket = connect(path);
  let holder = "";
  try {
    const data: unknown[] = await once(socket, "data", { signal: AbortSignal.timeout(1000) });
    holder = ` (process ${String(data)})`;
  } catch (error) {
    if (codeOf(error) === "ECONNREFUSED" || codeOf(error) === "ENOENT") {
      if (path.startsWith("/")) rmSync(path, { force: true });
      const server = await listenAt(path, file);
      if (server !== undefined) return server;
    }
  } finally {
    socket.destroy();
  }
  throw new StateFileError(
    `The state file ${file} is in use by another simulator${holder}.\n` +
      "Stop that simulator, or choose another file.",
  );
}
