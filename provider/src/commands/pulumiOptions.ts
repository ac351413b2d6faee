/**
 * Reads the options of `pulumi preview` that its report depends on. Each is a flag or, since Pulumi 3.208, a variable,
 * such as `--target-replace` and PULUMI_OPTION_TARGET_REPLACE.
 */

/** What the options say that matters to a report. */
export interface PulumiOptions {
  /** The flag or variable that changes what `pulumi-clouddb preview` itself passes to Pulumi, or Pulumi's folder. */
  readonly refused: string | undefined;
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
    refused: refusedFlag(args) ?? (variable("cwd") && variableName("cwd")),
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

function refusedFlag(args: readonly string[]): string | undefined {
  return args.find((arg) => flagsIn(arg).some(({ name }) => refusedNames.includes(name)));
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
