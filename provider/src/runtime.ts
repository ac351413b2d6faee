/**
 * What the engine's provider process loads, by the text in engine/providerText.ts. It never loads
 * @pulumi/pulumi's main module or TypeScript.
 *
 * The process loads this module once and configures each lifecycle with the same settings, so all
 * resources share one session. It is loaded and opened when it is first needed: a failing configure
 * would leave the lifecycles unconfigured, and an operation that makes no request pays for no client.
 */
import type * as ConnectionStrings from "./connectionStrings/lifecycle";
import { type Lifecycle, withReportedErrors } from "./engine/lifecycle";
import { engineWatch } from "./engine/engineContact";
import type * as SettingsSourceModule from "./engine/settingsSource";
import { engineLog } from "./engine/log";
import { type HeldProjects, heldProjects } from "./privateIpMode/heldProjects";
import type * as PrivateIpMode from "./privateIpMode/lifecycle";
import { peeringWarning } from "./privateIpMode/peeringWarning";
import type * as SessionModule from "./session";
import type { Session } from "./session";

/* eslint-disable @typescript-eslint/no-require-imports -- loaded when they are needed, see above */

/** What the process was configured with: all that `configure` may do is to keep it. */
let config: Parameters<typeof SettingsSourceModule.processSettings>[0] = { get: () => undefined };
let session: Session | undefined;

const open = () => (session ??= openNow());

function openNow(): Session {
  const { openSession } = require("./session") as typeof SessionModule;
  const { processSettings } = require("./engine/settingsSource") as typeof SettingsSourceModule;
  return openSession(processSettings(config));
}

/** What lookups and a disable of one project have to tell each other. */
const warning = peeringWarning(engineLog);

/** The hooks that the provider process asks for, with which it also configures them. */
function handler(lifecycle: Lifecycle) {
  return {
    ...withReportedErrors(lifecycle),
    configure: (request: { readonly config: typeof config }) => {
      config = request.config;
      return Promise.resolve();
    },
  };
}

/** By the names that the text in the state uses; each is loaded where a stack has resources of it. */
const handlers = {
  get privateIpMode() {
    const { privateIpModeLifecycle } = require("./privateIpMode/lifecycle") as typeof PrivateIpMode;
    let notes: HeldProjects | undefined;
    return handler(
      privateIpModeLifecycle({
        open,
        held: () => (notes ??= heldProjects({ service: open().client.apiRoot })),
        warning,
        engine: engineWatch(),
        states: new Map(),
      }),
    );
  },

  get clusterConnectionStrings() {
    const { clusterConnectionStringsLifecycle } =
      require("./connectionStrings/lifecycle") as typeof ConnectionStrings;
    return handler(clusterConnectionStringsLifecycle(open, warning));
  },
};

export = handlers;
