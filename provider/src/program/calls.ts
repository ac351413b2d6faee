/**
 * Runs the functions that a program calls, with the settings of the call's provider or the stack's. Loads the HTTP
 * client on the first call, because programs that only create resources need none. Under Pulumi's mocks, the mock
 * answers instead.
 */
import type * as InvokeModule from "@pulumi/pulumi/runtime/invoke";
import * as pulumi from "./sdk";
import { UserError } from "../messages/errors";
import type * as SessionModule from "../service/session";
import type { Session } from "../service/session";
import type * as ReadSettingsModule from "../settings/readSettings";
import type { SettingKey } from "../settings/settings";
import type { Bound } from "../service/clusterLists";
import { earliestRequest, withChildren } from "./dependencies";
import {
  isMocked,
  programLog,
  runError,
  runState,
  programSettings,
  providerOf,
  warnOfUnencryptedSecrets,
} from "./run";

/** A function that programs call. */
export interface ProgramFunction<Result> {
  /** Its token in the plugin's schema, which a mock receives. */
  readonly token: string;
  /** Sends the requests of a call. User errors are reported without a stack trace. */
  readonly work: (session: Session, args: unknown, bound: Bound) => Promise<Result>;
}

/** The settings of a call, as text. */
type SettingTexts = Readonly<Partial<Record<SettingKey, string | undefined>>>;

/**
 * Runs the work immediately.
 *
 * @throws `RunError` if the work fails, if the provider is not a `clouddb.Provider`, or if a preview
 *   does not know one of its settings yet
 */
export async function fromProgram<Result>(
  args: object,
  options: pulumi.InvokeOptions | undefined,
  called: ProgramFunction<Result>,
): Promise<Result> {
  warnOfUnencryptedSecrets();
  const settings = pulumi.output(programSettings(options));
  if (!(await isKnown(settings))) {
    throw runError(
      "the settings of this call's provider are not known in this preview. Use the function whose name ends in Output",
      "unknown-settings",
    );
  }
  const settingTexts = await new Promise<SettingTexts>((resolve) => settings.apply(resolve));
  return await callFunction({ called, dependencies: args, options }, args, settingTexts);
}

/**
 * Runs the work once arguments and settings are known; until then, the result is unknown. It is secret if an argument
 * is secret; secret credentials do not make it secret.
 *
 * @throws `RunError` if the provider is not a `clouddb.Provider`
 */
export function fromProgramOutput<Result>(
  args: pulumi.Output<object>,
  options: pulumi.InvokeOutputOptions | undefined,
  called: ProgramFunction<Result>,
): pulumi.Output<Result> {
  warnOfUnencryptedSecrets();
  const settings = programSettings(options);
  return pulumi
    .unsecret(pulumi.output(settings))
    .apply((settingTexts) =>
      whenCreated(options?.dependsOn).apply(() =>
        args.apply((values) =>
          callFunction({ called, dependencies: args, options }, values, settingTexts),
        ),
      ),
    );
}

/**
 * Returns an output that is unknown in a preview if a resource of `dependsOn`, or one of its children, does not exist
 * yet.
 */
function whenCreated(dependsOn: pulumi.InvokeOutputOptions["dependsOn"]): pulumi.Output<unknown> {
  return pulumi.output(dependsOn).apply(async (value) => {
    const resources = value === undefined ? [] : [value].flat();
    const all = await Promise.all(resources.map((resource) => withChildren(resource)));
    return pulumi.all(all.flat().map(identityOf));
  });
}

function identityOf(resource: pulumi.Resource): pulumi.Output<unknown> {
  return pulumi.CustomResource.isInstance(resource) ? resource.id : resource.urn;
}

interface FunctionCall<Result> {
  readonly called: ProgramFunction<Result>;
  /** The arguments as the program passed them, in which outputs show what the call depends on. */
  readonly dependencies: object;
  readonly options: pulumi.InvokeOutputOptions | undefined;
}

async function callFunction<Result>(
  { called: { token, work }, dependencies, options }: FunctionCall<Result>,
  args: object,
  settings: SettingTexts,
): Promise<Result> {
  if (isMocked()) {
    const provider = providerOf(options);
    // oxlint-disable-next-line typescript/no-unsafe-assignment -- loaded only under mocks
    const { invoke }: typeof InvokeModule = require("@pulumi/pulumi/runtime/invoke");
    // oxlint-disable-next-line typescript/no-unsafe-return -- a mock returns what the test says
    return await invoke(token, args, provider === undefined ? {} : { provider });
  }
  try {
    const after = await earliestRequest(dependencies, options);
    return await work(sessionFor(settings), args, { after });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw runError(error.message, error.code);
  }
}

/** Returns the session of these settings, which all calls of a run share. */
function sessionFor(settings: SettingTexts): Session {
  /* oxlint-disable typescript/no-unsafe-assignment -- loaded on the first call (docs/internals/decisions.md#0014-measured-optimizations) */
  const { openSession }: typeof SessionModule = require("../service/session");
  const { readSettings }: typeof ReadSettingsModule = require("../settings/readSettings");
  /* oxlint-enable typescript/no-unsafe-assignment */
  // Providers inherit from the stack's configuration, so always check it for misspelled keys.
  const keys = () => Object.keys(pulumi.runtimeConfig.allConfig());
  const get = (key: SettingKey) => settings[key];
  const source = { owner: { kind: "stack" } as const, get, keys };
  const sessions = runState()?.sessions;
  const key = JSON.stringify(Object.entries(settings).sort());
  const session = sessions?.get(key) ?? openSession(readSettings(source, process.env), programLog);
  sessions?.set(key, session);
  return session;
}

/** Returns whether an output is known, from `isKnown`, an undeclared property that every output of the SDK has. */
async function isKnown(output: object): Promise<boolean> {
  return !("isKnown" in output) || (await output.isKnown) !== false;
}
