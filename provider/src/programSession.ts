/**
 * A session for the functions that a Pulumi program calls itself, with the settings of the explicit
 * provider that the call names or inherits, else the stack's. It is loaded when it is first needed:
 * a program that only creates resources does not pay for the HTTP client.
 */
import * as pulumi from "./engine/sdk";
import { isUserError } from "./engine/errors";
import { warnOfPlainSecrets } from "./engine/plainSecrets";
import { programLog } from "./engine/programLog";
import { programSettings } from "./engine/provider";
import { runError } from "./engine/runError";
import type { SettingKey } from "./engine/settingNames";
import type { SettingsOwner } from "./engine/settingsSource";
import type * as SessionModule from "./session";
import type { Session } from "./session";

/** What a call asks of the service. Its errors reach the program's author without a stack trace. */
type Work<Args, Result> = (session: Session, args: Args) => Promise<Result>;

type SettingValues = Readonly<Partial<Record<SettingKey, string>>>;

/**
 * Does the work now.
 *
 * @param args what the work is given
 * @param options choose the provider whose settings are used. Default: the stack's settings.
 * @param work what to ask of the service
 * @throws `RunError` if the work fails, if the provider is not a `clouddb.Provider`, or if a preview
 *   does not know one of its settings yet
 */
export async function fromProgram<Args, Result>(
  args: Args,
  options: pulumi.InvokeOptions | undefined,
  work: Work<Args, Result>,
): Promise<Result> {
  warnOfPlainSecrets();
  const { owner, settings: outputs } = programSettings(options);
  const settings = pulumi.output(outputs);
  if (!(await isKnown(settings))) {
    throw runError(
      "the settings of this call's provider are not known in this preview: use the function whose name ends in Output",
    );
  }
  const values = await new Promise<SettingValues>((resolve) => settings.apply(resolve));
  return await run(owner, values, args, work);
}

/**
 * Does the work when arguments and settings are known. The result is secret if an argument is; the
 * credentials do not make it one.
 *
 * @param args what the work is given
 * @param options choose the provider whose settings are used, and what the work waits for
 * @param work what to ask of the service
 * @returns unknown in a preview that does not know an argument or a setting yet; fails with a
 *   `RunError` if the work fails
 * @throws `RunError` if the provider is not a `clouddb.Provider`
 */
export function fromProgramOutput<Args, Result>(
  args: pulumi.Output<Args>,
  options: pulumi.InvokeOutputOptions | undefined,
  work: Work<Args, Result>,
): pulumi.Output<Result> {
  warnOfPlainSecrets();
  const { owner, settings } = programSettings(options);
  return pulumi
    .unsecret(pulumi.output(settings))
    .apply((values) =>
      created(options?.dependsOn).apply(() =>
        args.apply((known) => run(owner, values, known, work)),
      ),
    );
}

/** Known when the resources are there: not in a preview that is still to create them. */
function created(resources: pulumi.InvokeOutputOptions["dependsOn"]): pulumi.Output<unknown> {
  return pulumi.output(resources).apply((listed) => {
    const each = listed === undefined ? [] : [listed].flat();
    return pulumi.all(
      each.map((one) => (pulumi.CustomResource.isInstance(one) ? one.id : one.urn)),
    );
  });
}

async function run<Args, Result>(
  owner: SettingsOwner,
  settings: SettingValues,
  args: Args,
  work: Work<Args, Result>,
): Promise<Result> {
  try {
    return await work(sessionFor(owner, settings), args);
  } catch (error) {
    if (!isUserError(error)) throw error;
    throw runError(error.message);
  }
}

/**
 * One session for each run of a program and settings, so that its calls share one listing a project.
 * Runs of several stacks, or a preview and an update, may share a process (the Automation API).
 */
const sessions = new WeakMap<object, Map<string, Session>>();

function sessionFor(owner: SettingsOwner, settings: SettingValues): Session {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- loaded when needed, see above
  const { openSession } = require("./session") as typeof SessionModule;
  const run = pulumi.getStackResource();
  // A provider takes settings from the stack's configuration: a key misspelled there is missing in it.
  const keys = () => Object.keys(pulumi.runtimeConfig.allConfig());
  const open = () => openSession({ owner, get: (key) => settings[key], keys }, programLog);
  if (run === undefined) return open();
  const ofRun = sessions.get(run) ?? new Map<string, Session>();
  sessions.set(run, ofRun);
  const key = JSON.stringify(Object.entries(settings).sort());
  const session = ofRun.get(key) ?? open();
  ofRun.set(key, session);
  return session;
}

/** The SDK has it on every output, without declaring it. */
async function isKnown(output: object): Promise<boolean> {
  return !("isKnown" in output) || (await output.isKnown) !== false;
}
