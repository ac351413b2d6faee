/** The points at which processes of an update are killed. The seed determines them. */
import type { ProviderKind } from "./programs";
import { type Random, seededRandom } from "./random";

/** The processes that are killed. */
export const killTargets = ["provider", "language host", "engine", "plugin"] as const;

/** A process that is killed. */
export type KillTarget = (typeof killTargets)[number];

/** A point of an update. */
export interface KillPoint {
  readonly number: number;
  readonly target: KillTarget;
  readonly kind: ProviderKind;
  /** Whether the update creates the resources or changes them. */
  readonly start: "create" | "update";
  /**
   * When to kill: after a fraction of the time that the update takes, or when the service has received
   * this fraction of its requests.
   */
  readonly after: "time" | "requests";
  readonly fraction: number;
}

/** Chooses a point. The targets take turns. */
export function killPoint(seed: number, number: number): KillPoint {
  const random = seededRandom(seed, "kill", number);
  const target = killTargets[number % killTargets.length] ?? killTargets[0];
  return {
    number,
    target,
    kind: kindFor(target, random),
    start: random.pick(["create", "update"]),
    after: random.pick(["time", "requests"]),
    fraction: random.fraction(),
  };
}

/** Returns whether a process is the target. */
export function isTarget(target: KillTarget, command: readonly string[]): boolean {
  const line = command.join(" ");
  switch (target) {
    case "provider":
      return line.includes("cmd/dynamic-provider");
    case "plugin":
      return line.includes("/plugin.bundle.js");
    case "language host":
      return /\/pulumi-language-nodejs\b/.test(line);
    case "engine":
      return /^(\S*\/)?pulumi up\b/.test(line);
  }
}

function kindFor(target: KillTarget, random: Random): ProviderKind {
  if (target === "provider") return "dynamic";
  return target === "plugin" ? "plugin" : random.pick(["dynamic", "plugin"]);
}
