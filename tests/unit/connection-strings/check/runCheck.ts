import { check } from "../../../../connection-strings/src/check/command";
import type { Open } from "../../../../connection-strings/src/check/connections";

/** A network, as seen by a check. */
export interface CheckedNetwork {
  /** A DNS server, as `<host>:<port>`. */
  readonly resolver: string | undefined;
  /** Opens connections. Default: to the address itself */
  readonly open?: Open;
}

/** Checks a string, as the command does with a variable. */
export async function checkString(
  text: string,
  { resolver = "127.0.0.1:1", open }: CheckedNetwork,
) {
  const args = ["--variable", "URL", "--resolver", resolver];
  const context = { environment: { URL: text }, readInput: undefined };
  const { code, output, error } = await check(
    args,
    open === undefined ? context : { ...context, open },
  );
  return { isReachable: code === 0, report: `${output}${error}` };
}
