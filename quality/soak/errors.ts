/** The errors of an operation, and whether they are clear: each failed resource has exactly one. */
import type { EngineEvent } from "@pulumi/pulumi/automation";

/** An error that the user sees. */
interface PrintedError {
  /** The resource that the error is about; empty for none. */
  readonly urn: string;
  readonly message: string;
}

/** What an operation reported about failures. */
export interface ReportedErrors {
  readonly errors: readonly PrintedError[];
  /** The URNs of the resources whose operation failed. A resource whose check failed has only an error. */
  readonly failedResources: ReadonlySet<string>;
}

/** Collects the errors of an operation; `onEvent` is one of its options. */
export function collectErrors(): ReportedErrors & {
  readonly onEvent: (event: EngineEvent) => void;
} {
  const errors: PrintedError[] = [];
  const failedResources = new Set<string>();
  const onEvent = ({ diagnosticEvent, resOpFailedEvent }: EngineEvent) => {
    if (resOpFailedEvent !== undefined) failedResources.add(resOpFailedEvent.metadata.urn);
    if (diagnosticEvent?.severity !== "error") return;
    const { urn = "", message } = diagnosticEvent;
    // The engine adds this to every failed operation.
    if (!/^(update|preview|refresh|destroy) failed$/.test(message.trim())) {
      errors.push({ urn, message: message.trim() });
    }
  };
  return { errors, failedResources, onEvent };
}

/** Returns the resources that failed without an error, or that have several. */
export function countViolations({ errors, failedResources }: ReportedErrors): string[] {
  const urns = new Set([...failedResources, ...errors.map(({ urn }) => urn)]);
  return [...urns].flatMap((urn) => {
    const messages = errors.filter((error) => error.urn === urn).map(({ message }) => message);
    if (messages.length === 1) return [];
    return `printed ${messages.length} errors for ${urn === "" ? "no resource" : urn}: ${messages.join("; ")}`;
  });
}

/**
 * Returns what makes the errors of a failed operation unclear: each must name its request, end with a
 * full stop, possibly in parentheses, and have no stack trace.
 *
 * @param output everything that the CLI printed
 */
export function clarityViolations({ errors }: ReportedErrors, output: string): string[] {
  const violations: string[] = [];
  if (errors.length === 0) violations.push(`failed without an error of its own:\n${output}`);
  const unclear = errors
    .map(({ message }) => message)
    .filter((message) => !/\.\)?$/.test(message) || !/(GET|PATCH|POST) \//.test(message));
  if (unclear.length > 0) violations.push(`failed with an unclear error: ${unclear.join("; ")}`);
  if (/^\s+at .+:\d+:\d+/m.test(output)) violations.push(`printed a stack trace:\n${output}`);
  return violations;
}
