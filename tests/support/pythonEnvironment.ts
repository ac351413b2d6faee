/** Virtual environments of Python. */
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { processFolder } from "./cleanup";
import { Missing } from "./missing";

/** Installs packages into a virtual environment once, and returns its folder. Throws Missing without Python. */
export function pythonEnvironment(name: string, packages: () => readonly string[]): string {
  const environment = join(processFolder, name);
  const python = (file: string, args: readonly string[]) => {
    try {
      execFileSync(file, args, { stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      rmSync(environment, { recursive: true, force: true });
      throw new Missing(`Python with pip and venv is not available: ${String(error)}`);
    }
  };
  if (!existsSync(environment)) {
    python("python3", ["-m", "venv", environment]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    python(join(environment, "bin", "python"), [...pip, ...packages()]);
  }
  return environment;
}
