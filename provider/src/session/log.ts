/** The log of a session: the engine's in a provider process, the SDK's in a program. */

/** `progress` replaces the previous progress line; `warning` is permanent and counted. */
export type Severity = "progress" | "warning";

/** Logs a message; never rejects. */
export type Log = (severity: Severity, message: string) => Promise<void>;
