/** The combinations of options that drivers refuse before they connect. */
import { type StringOption, optionKey } from "./options";
import type { ParsedConnectionString } from "./parsing";

/** Returns why drivers refuse a string with these options, and what to do. Returns undefined if they accept it. */
export function refusedOptions(
  { form, hosts }: Pick<ParsedConnectionString, "form" | "hosts">,
  options: readonly StringOption[],
): string | undefined {
  const values = new Map(options.map(({ key, value }) => [key, value]));
  const valueOf = (name: string) => values.get(optionKey(name)) ?? "";
  const isOn = (name: string) => !["", "false", "0"].includes(valueOf(name));

  const onlySrv = srvOptions.find((name) => values.has(optionKey(name)));
  if (form === "hosts" && onlySrv !== undefined)
    return `drivers refuse the option ${onlySrv} with a list of hosts. Omit it, or use the SRV form`;
  if (form === "srv" && isOn("directConnection"))
    return "drivers refuse the option directConnection in SRV form. Omit it, or use a list of one host";
  const onlyOneHost = oneHostOptions.find(isOn);
  if (hosts.length > 1 && onlyOneHost !== undefined)
    return `drivers refuse the option ${onlyOneHost} with several hosts. Omit it, or use one host`;

  const exclusive = exclusiveOptions.find((names) => names.every(isOn));
  if (exclusive !== undefined)
    return `drivers refuse the options ${exclusive.join(" and ")} together. Omit one of them`;
  const isPrimary = valueOf("readPreference").toLowerCase() === "primary";
  if (isPrimary && Number(valueOf("maxStalenessSeconds")) > 0)
    return "drivers refuse the option maxStalenessSeconds with the readPreference primary. Omit one of them";
  if (isOn("proxyPort") && !isOn("proxyHost"))
    return "drivers refuse the option proxyPort without proxyHost. Pass both, or none";
  return undefined;
}

/** Options about the name of an SRV record. */
const srvOptions = ["srvMaxHosts", "srvServiceName"] as const;

const oneHostOptions = ["loadBalanced", "directConnection"] as const;

const exclusiveOptions = [
  ["loadBalanced", "replicaSet"],
  ["loadBalanced", "directConnection"],
  ["loadBalanced", "srvMaxHosts"],
  ["replicaSet", "srvMaxHosts"],
] as const;
