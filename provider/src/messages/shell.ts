/**
 * The commands that messages recommend, for the shell of their reader. A process cannot tell PowerShell from cmd, so on
 * Windows they name both, except in Git Bash, which sets MSYSTEM.
 */

const isPosix = process.platform !== "win32" || Boolean(process.env["MSYSTEM"]);

export function setVariable(name: string, value: string): string {
  return isPosix
    ? `export ${name}=${value}`
    : `$env:${name}="${value}" (in cmd: set ${name}=${value})`;
}

/** Returns the assignment of a command's output to an environment variable, for another command if one is given. */
export function setToOutput(name: string, command: string, user?: string): string {
  const rest = (separator: string) => (user === undefined ? "" : `${separator} ${user}`);
  return isPosix
    ? `${name}=$(${command})${rest("")}`
    : `$env:${name}=$(${command})${rest(";")} (in PowerShell)`;
}

export function unsetVariable(name: string): string {
  return isPosix ? `unset ${name}` : `Remove-Item Env:${name} (in cmd: set ${name}=)`;
}
