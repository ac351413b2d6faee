/**
 * Reports a preview to reviewers: reads what Pulumi wrote (input.ts), says what it means (meaning.ts), and shows it
 * (content.ts, markdown.ts, terminal.ts, annotations.ts).
 */
import { escapeMessage } from "../messages/text";
import { ProviderError } from "../messages/errors";
import type { PreviewInput } from "./input";
import { type Context, interpret } from "./meaning";
import type { Report } from "./model";
import { withoutSecrets } from "./values";

/** Creates a report. Throws if a file is none that Pulumi writes, or if two are of one form or of two stacks. */
export function createReport(read: () => readonly PreviewInput[], context: Context): Report {
  try {
    const inputs = read();
    const kinds = inputs.map(({ kind }) => kind);
    const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
    if (twice !== undefined)
      throw new ProviderError(`Two of the files are the same kind of input (${twice}). Pass one.`);
    return interpret(inputs, context);
  } catch (error) {
    const { log = "" } = context;
    if (!(error instanceof ProviderError) || log.trim() === "") throw error;
    // Without a report, only the log says what happened.
    const printed = escapeMessage(withoutSecrets(log.trim()));
    throw new ProviderError(`${error.message}\nThis is what pulumi printed:\n${printed}`);
  }
}
