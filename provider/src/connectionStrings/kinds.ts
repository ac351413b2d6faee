/**
 * The kinds of connection string of service document 2.6, told by the first host name. Patterns
 * only classify: a string is always used as the service gave it.
 */
import { type ParsedConnectionString, parseConnectionString } from "./parsing";

/** What a host name says about its string. */
export type Classification =
  | { readonly kind: "standard"; readonly cluster: string }
  | { readonly kind: "peeringPrivate"; readonly cluster: string }
  | {
      readonly kind: "privateEndpoint";
      readonly index: number;
      /** Left out of the host name by some services. */
      readonly region: string | undefined;
    }
  | { readonly kind: "optimizedPrivateEndpoint"; readonly cluster: string; readonly index: number }
  | { readonly kind: "legacy"; readonly cluster: string }
  /** A form that the document does not show. */
  | { readonly kind: "unknown" };

/** Host-list members: node `<nn>` of shard `<ss>`, or of the config servers. */
const node = "-(?:shard|config)-\\d{2}-\\d{2}";

const firstLabels: readonly [RegExp, (match: string[]) => Classification][] = [
  [new RegExp(`^(.+)${node}-pri$`), ([, cluster = ""]) => ({ kind: "peeringPrivate", cluster })],
  [new RegExp(`^(.+)${node}$`), ([, cluster = ""]) => ({ kind: "standard", cluster })],
  [new RegExp(`^(.+)${node}-[a-z0-9]+$`), ([, cluster = ""]) => ({ kind: "legacy", cluster })],
  [
    /^(?:(.+)-)?pl-(\d+)-lb$/,
    ([, cluster = "", index]) => ({
      kind: "optimizedPrivateEndpoint",
      cluster,
      index: Number(index),
    }),
  ],
  [
    /^(?:.+-)?pl-(\d+)(?:-(.+))?$/,
    ([, index, region]) => ({ kind: "privateEndpoint", index: Number(index), region }),
  ],
  [/^(.+)-pri$/, ([, cluster = ""]) => ({ kind: "peeringPrivate", cluster })],
];

/**
 * The kind of a connection string. A legacy SRV name differs from a standard one by a hyphen in place
 * of a period (2.6 rule 1), so it has one label less: it is told apart by the number of labels.
 */
export function classify(connectionString: string): Classification {
  const parsed = parseConnectionString(connectionString);
  return parsed === undefined ? { kind: "unknown" } : classifyParsed(parsed);
}

function classifyParsed({ hosts, form }: ParsedConnectionString): Classification {
  const [label = "", ...domain] = hosts[0]?.name.toLowerCase().split(".") ?? [];
  for (const [pattern, classification] of firstLabels) {
    const match = pattern.exec(label);
    if (match !== null) return classification(match);
  }
  if (form === "hosts" || domain.length < 2) return { kind: "unknown" };
  const legacy = /^(.+)-[a-z0-9]+$/.exec(label);
  const hasProjectLabel = domain.length > 2 && !/^(?:gcp|azure)$/.test(domain[0] ?? "");
  return legacy?.[1] === undefined || hasProjectLabel
    ? { kind: "standard", cluster: label }
    : { kind: "legacy", cluster: legacy[1] };
}
