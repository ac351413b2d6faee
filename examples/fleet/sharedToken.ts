/**
 * One access token of the service account for all stacks of this runner. Otherwise each process that Pulumi starts
 * would request its own token, and the service limits token requests and active tokens.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";

const tokenSchema = z.object({ accessToken: z.string(), expiresAt: z.iso.datetime() });

type Token = z.infer<typeof tokenSchema>;

/** The command of `npx pulumi-clouddb`. */
const command = require
  .resolve("pulumi-clouddb/package.json")
  .replace(/package\.json$/, "bin/pulumi-clouddb.js");

/** The access token, which is requested when the first stack needs it, and replaced before it expires. */
export class SharedToken {
  readonly #minMinutes: number;
  readonly #requested: Promise<Token>[] = [];

  /** Creates a token without requesting it. Each stack gets at least `minMinutes` of its lifetime. */
  constructor(minMinutes: number) {
    this.#minMinutes = minMinutes;
  }

  /** Returns the credentials of a stack as environment variables; none without a service account. */
  async environment(): Promise<Record<string, string>> {
    const { CLOUDDB_CLIENT_ID, CLOUDDB_CLIENT_SECRET } = process.env;
    if (!CLOUDDB_CLIENT_ID || !CLOUDDB_CLIENT_SECRET) return {};
    const { accessToken } = await this.#current();
    // Exactly one kind of credentials may be set; an empty variable counts as unset.
    return { CLOUDDB_ACCESS_TOKEN: accessToken, CLOUDDB_CLIENT_ID: "", CLOUDDB_CLIENT_SECRET: "" };
  }

  /** Revokes all requested tokens, if the service can. Never rejects. */
  async revoke(): Promise<void> {
    for (const token of await Promise.allSettled(this.#requested)) {
      if (token.status === "rejected") continue;
      const { accessToken } = token.value;
      await run(["token", "--revoke"], { CLOUDDB_ACCESS_TOKEN: accessToken }).catch(
        () => undefined,
      );
    }
  }

  /** Returns the latest token, or a new one. Stacks that start at the same time share the request. */
  async #current(): Promise<Token> {
    const latest = this.#requested.at(-1);
    if (latest === undefined) return await this.#request();
    const token = await latest.catch(() => undefined);
    const minutes = token === undefined ? 0 : (Date.parse(token.expiresAt) - Date.now()) / 60_000;
    if (token !== undefined && minutes >= this.#minMinutes) return token;
    return await (this.#requested.at(-1) === latest ? this.#request() : this.#current());
  }

  #request(): Promise<Token> {
    const token = run(["token", "--json"]).then((output) => tokenSchema.parse(JSON.parse(output)));
    this.#requested.push(token);
    return token;
  }
}

/** Runs `pulumi-clouddb` and returns its output. Throws the error that it reports. */
async function run(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<string> {
  const options = { env: { ...process.env, ...environment } };
  try {
    return (await promisify(execFile)(process.execPath, [command, ...args], options)).stdout;
  } catch (error) {
    const reported = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new Error(reported || String(error), { cause: error });
  }
}
