/**
 * Reads the options of `pulumi preview` that its report depends on. Each is a flag or, since Pulumi 3.208, a variable,
 * such as `--target-replace` and PULUMI_OPTION_TARGET_REPLACE.
 */
import { unsetVariable } from "../messages/recommendations";

/** What the options say that matters to a report. */
export interface PulumiOptions {
  /** Why a flag is refused, which `pulumi-clouddb preview` itself passes to Pulumi, or one that changes the folder. */
  readonly refusal: string | undefined;
  /** Whether the preview is limited to some resources. */
  readonly isTargeted: boolean;
  /** Whether a refresh uses the current settings instead of the recorded ones. */
  readonly runsProgram: boolean;
  /** Whether the flag names another file with the stack's settings. The variable applies to all commands of Pulumi. */
  readonly hasConfigFile: boolean;
  /** Whether Pulumi fails if it finds a change. */
  readonly expectsNoChanges: boolean;
}

/** A flag among the arguments. */
interface Flag {
  readonly name: string;
  /** What follows `=`. Undefined without it, even if the next argument is the value. */
  readonly value: string | undefined;
}

/**
 * Reads the flags and variables. A flag takes precedence over its variable, and an empty variable counts as none.
 *
 * @param args the arguments of `pulumi preview`
 */
export function readPulumiOptions(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): PulumiOptions {
  const flags = args.flatMap(flagsIn);
  const variable = (name: string) => environment[variableName(name)] || undefined;
  const isSet = (name: string) =>
    flags.some((flag) => flag.name === name) || variable(name) !== undefined;
  const isOn = (name: string) => {
    const flag = flags.findLast((each) => each.name === name);
    return isTrue(flag === undefined ? variable(name) : (flag.value ?? "true"));
  };
  return {
    refusal: refusalOf(flags, environment),
    isTargeted: ["target", "target-replace", "exclude"].some(isSet),
    // The other variable is the default of the flag.
    runsProgram: isSet("run-program")
      ? isOn("run-program")
      : isTrue(environment["PULUMI_RUN_PROGRAM"]),
    hasConfigFile: flags.some(({ name }) => name === "config-file"),
    expectsNoChanges: isOn("expect-no-changes"),
  };
}

/**
 * The flags that are refused. `pulumi-clouddb preview` itself passes the first two, so their variables have no effect.
 */
const refusedNames = ["stack", "json", "cwd"];

/** Says what to do instead. Only the folder has a variable that this command does not override. */
function refusalOf(flags: readonly Flag[], environment: NodeJS.ProcessEnv): string | undefined {
  const flag = flags.find(({ name }) => refusedNames.includes(name));
  if (flag !== undefined) {
    return `--${flag.name} cannot be passed to pulumi; run the command in the folder of the project, with --stack before --`;
  }
  const name = variableName("cwd");
  if (!environment[name]) return undefined;
  return `${name} is set; unset it (${unsetVariable(name)}), and run the command in the folder of the project`;
}

const shortNames: Readonly<Record<string, string>> = {
  C: "cwd",
  j: "json",
  s: "stack",
  t: "target",
  x: "exclude",
};

/** Matches the short flags in one argument: those without a value, and one that can have a value, such as `-rt`. */
const shortFlags = /^-([dehjQr]*[^-]?)/;

/** Returns the flags in an argument. The value of a short flag is not needed. */
function flagsIn(argument: string): Flag[] {
  const [, name, value] = /^--([^=]+)(?:=([^]*))?$/.exec(argument) ?? [];
  if (name !== undefined) return [{ name, value }];
  const [, letters = ""] = shortFlags.exec(argument) ?? [];
  return Array.from(letters, (letter) => ({
    name: shortNames[letter] ?? letter,
    value: undefined,
  }));
}

function variableName(flag: string): string {
  return `PULUMI_OPTION_${flag.toUpperCase().replaceAll("-", "_")}`;
}

/** Returns whether a text is true to Go's ParseBool, in any case. */
function isTrue(text: string | undefined): boolean {
  return ["1", "t", "true"].includes(text?.toLowerCase() ?? "");
}
