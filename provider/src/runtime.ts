/**
 * What the engine's provider process loads, by the text in engine/providerText.ts. It never loads
 * @pulumi/pulumi's main module or TypeScript.
 *
 * The process loads this module once and configures each lifecycle with the same settings, so all
 * resources share one session. It is loaded and opened when it is first needed: a failing configure
 * would leave the lifecycles unconfigured, and an operation that makes no request pays for no client.
 */
import { clusterConnectionStringsLifecycle } from "./connectionStrings/lifecycle";
import { type Lifecycle, forPeople } from "./engine/lifecycle";
import type { Configuration } from "./engine/settings";
import { engineLog } from "./engine/log";
import { privateIpModeLifecycle } from "./privateIpMode/lifecycle";
import { peeringWarning } from "./privateIpMode/peeringWarning";
import type * as SessionModule from "./session";
import type { Session } from "./session";

let configuration: Configuration = () => undefined;
let session: Session | undefined;

const open = () => (session ??= openNow());

function openNow(): Session {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- loaded when needed, see above
  const { openSession } = require("./session") as typeof SessionModule;
  return openSession(configuration);
}

function handler(lifecycle: Lifecycle) {
  return {
    ...forPeople(lifecycle),
    configure: ({ config }: { readonly config: { get(key: string): string | undefined } }) => {
      configuration = (key) => config.get(key);
      return Promise.resolve();
    },
  };
}

/** What lookups and a disable of one project have to tell each other. */
const warning = peeringWarning(engineLog);

export const privateIpMode = handler(privateIpModeLifecycle(open, warning));
export const clusterConnectionStrings = handler(
  clusterConnectionStringsLifecycle(open, (found) => warning.lookedUp(found)),
);
