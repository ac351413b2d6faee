/** Adds advice to the errors that settings may cause, and asks `pulumi config` for those of the stack. */
import { doctorAdvice } from "../messages/recommendations";
import { escapeText } from "../messages/text";
import { refreshAdvice } from "../host/lifecycle";
import { isAboutCredentials } from "../report/read/messages";
import type { Message, Report } from "../report/model";
import { reportedSettings } from "../settings/readSettings";
import { environmentOnly, isCredential } from "../settings/settings";
import { commandSettings } from "./command";
import type { PulumiOptions } from "./pulumiOptions";

/** Names doctor in each error that settings may cause, and where credentials come from that the service refused. */
export async function withSettingsAdvice(
  report: Report,
  stack: string,
  { hasConfigFile, runsProgram }: PulumiOptions,
): Promise<Report> {
  // Neither this command nor doctor reads that file.
  if (hasConfigFile) return report;
  const isRefused = report.errors.some(({ code }) => isAboutCredentials(code));
  const origin = isRefused ? await originOfCredentials(stack) : "";
  // A refresh uses recorded settings, as its message says.
  const originFor = (text: string) => (runsProgram || !text.includes(refreshAdvice) ? origin : "");
  const command = `    npx --no pulumi-clouddb doctor --stack ${escapeText(stack)}`;
  const withAdvice = ({ text, code }: Message) => {
    if (isAboutCredentials(code)) {
      return `${text}${originFor(text)}\nTo check the current ones:\n${command}`;
    }
    if (code !== "not-found") return text;
    return `${text.replace(` ${doctorAdvice}`, "")}\nTo check the settings:\n${command}`;
  };
  const errors = report.errors.map((error) => ({ ...error, text: withAdvice(error) }));
  return { ...report, errors };
}

/** Returns a sentence with the settings of the credentials; empty if no setting has any. */
async function originOfCredentials(stack: string): Promise<string> {
  // Without a readable configuration, at least those of the environment.
  const source = await commandSettings(stack).catch(() => environmentOnly);
  const names = reportedSettings(source, process.env)
    .filter(({ key }) => isCredential(key))
    .map(({ key, variable, source: from }) =>
      from === "stack" ? `clouddb:${key} in the stack` : `${variable} in the environment`,
    );
  return names.length === 0
    ? ""
    : `\nUnless a clouddb.Provider has its own, the credentials come from ${names.join(" and ")}.`;
}
