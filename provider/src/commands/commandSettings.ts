/** The settings of a command: those of the environment or, with the option `--stack`, of a stack's configuration. */
import { stripVTControlCharacters } from "node:util";
import { ProviderError } from "../messages/errors";
import { parseJson } from "../schemas/schemaErrors";
import { escapeText } from "../messages/text";
import * as z from "../schemas/zod";
import { type SettingsSource, environmentOnly } from "../settings/settings";
import { type Session, openSession } from "../service/session";
import { readSettings } from "../settings/readSettings";
import { UsageError, errorLog, notStarted } from "./command";

/** Explains where a command with the option reads its settings. */
export const settingsHelp = `Settings are read from the provider's environment variables: CLOUDDB_BASE_URL, CLOUDDB_CLIENT_ID and
CLOUDDB_CLIENT_SECRET or CLOUDDB_PUBLIC_KEY and CLOUDDB_PRIVATE_KEY, CLOUDDB_CA_FILE, ... With --stack, those of
the stack's configuration take precedence. Those of a clouddb.Provider in the program are not visible.`;

const configuration = z.record(z.string(), z.object({ value: z.optional(z.string()) }));

/** Opens a session with the settings of the command. */
export async function commandSession(stack: string | undefined): Promise<Session> {
  const source = await settingsSource(stack);
  return openSession(readSettings(source, process.env), errorLog(stack !== undefined));
}

/** Reads the settings in the configuration of the stack, if one is given. */
export async function settingsSource(stack: string | undefined): Promise<SettingsSource> {
  if (stack === undefined) return environmentOnly;
  // Pulumi would take the selected stack.
  if (stack === "") throw new UsageError("--stack NAME is missing");
  const args = ["config", "--json", "--show-secrets", "--non-interactive", "--stack", stack];
  const subject = `the configuration of stack ${escapeText(stack)}`;
  const { default: spawn } = await import("cross-spawn");
  const { stdout, stderr, status, error } = spawn.sync("pulumi", args, {
    // Node.js 26 would not use an environment that a test replaces.
    env: process.env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) {
    const isStarted = !(error instanceof Error);
    const code = !isStarted && "code" in error ? error.code : status;
    const printed = isStarted ? stripVTControlCharacters(stderr).trim() : "";
    const elsewhere = /no (?:stack named|Pulumi\.yaml)/.test(printed)
      ? " If the stack's project is in another folder, run the command there."
      : "";
    const reason =
      printed === ""
        ? notStarted(String(code))
        : `${escapeText(printed.replaceAll(/\r?\n/g, " "))}.${elsewhere}`;
    throw new ProviderError(`${subject} cannot be read: ${reason}`);
  }
  const values = parseJson(stdout, configuration, subject);
  return {
    owner: { kind: "stack", name: stack },
    get: (key) => values[`clouddb:${key}`]?.value,
    keys: () => Object.keys(values),
  };
}
