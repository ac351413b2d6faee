/**
 * Sorts the strings of one private endpoint into host list, SRV form and optimized SRV form. The host
 * name takes precedence over the name of the field: services return the optimized string in different
 * fields, but its host name always contains `lb` (service document 2.6).
 */
import { isLoadBalancerName } from "./hostNamePatterns";
import { classify } from "./kinds";
import { parseOrProblem } from "./parsing";

/** The forms of a private endpoint's strings. Each form is a separate output. */
export type EndpointStringForm = "hosts" | "srv" | "optimizedSrv";

/** A string of a private endpoint as the service returned it. */
export interface ReturnedString {
  /** The connection string. */
  readonly text: string;
  /** The form that its field is documented to contain; undefined for an undocumented field. */
  readonly documentedForm: EndpointStringForm | undefined;
}

/**
 * Sorts the strings of one private endpoint by their host names.
 *
 * @param strings all strings of the endpoint. If several have the same form, a string whose field
 * is documented to contain that form takes precedence, then the first in the list.
 * @returns the string of each form
 */
export function sortByForm<Item extends ReturnedString>(
  strings: readonly Item[],
): Readonly<Record<EndpointStringForm, Item | undefined>> {
  const pick = (form: EndpointStringForm) => {
    const ofForm = strings.filter((string) => formOf(string) === form);
    return ofForm.find(({ documentedForm }) => documentedForm === form) ?? ofForm[0];
  };
  return { hosts: pick("hosts"), srv: pick("srv"), optimizedSrv: pick("optimizedSrv") };
}

/** Returns the form of a string; undefined if its meaning is unknown. */
function formOf({ text, documentedForm }: ReturnedString): EndpointStringForm | undefined {
  const parsed = parseOrProblem(text);
  // Text that is not a connection string has no form of its own: trust the field.
  if (parsed.kind === "problem") return documentedForm;
  const { kind } = classify(text);
  const isEndpoint = documentedForm !== undefined || kind === "privateEndpoint";
  if (parsed.parts.form === "hosts") return isEndpoint ? "hosts" : undefined;
  if (parsed.parts.hosts.some(({ name }) => isLoadBalancerName(name))) return "optimizedSrv";
  // If the kind of the string is unknown, trust the field.
  if (documentedForm === "optimizedSrv" && kind === "unknown") return "optimizedSrv";
  return isEndpoint ? "srv" : undefined;
}
