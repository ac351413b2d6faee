/**
 * The entry point of the engine's provider process, loaded by the text in program/providerText.ts. Never
 * loads the main module of @pulumi/pulumi or TypeScript.
 *
 * The process loads this module once and configures each lifecycle with the same settings, so all
 * resources share one session. The session is opened on first use: a failing configure would leave the
 * lifecycles unconfigured, and an operation without requests does not need the client.
 */
import type * as ConnectionStrings from "./clusterConnectionStrings/lifecycle";
import { type Lifecycle, withReportedErrors } from "./providerProcess/lifecycle";
import { engineWatch } from "./providerProcess/engineContact";
import type * as SettingsSourceModule from "./session/settingsSource";
import { engineLog } from "./providerProcess/engineLog";
import { type HeldProjects, heldProjects } from "./privateIpMode/heldProjects";
import type * as PrivateIpMode from "./privateIpMode/lifecycle";
import { peeringWarning } from "./privateIpMode/peeringWarning";
import type * as SessionModule from "./session/session";
import type { Session } from "./session/session";

/* eslint-disable @typescript-eslint/no-require-imports -- loaded when they are needed, see above */

/** The configuration of the process. `configure` must only store it. */
let config: Parameters<typeof SettingsSourceModule.processSettings>[0] = { get: () => undefined };
let session: Session | undefined;

const open = () => (session ??= openNow());

function openNow(): Session {
  const { openSession } = require("./session/session") as typeof SessionModule;
  const { processSettings } = require("./session/settingsSource") as typeof SettingsSourceModule;
  return openSession(processSettings(config), engineLog);
}

/** The warning about a disable, which all lifecycles share. */
const warning = peeringWarning(engineLog);

/** Returns the hooks that the provider process calls, including `configure`. */
function handler(lifecycle: Lifecycle) {
  return {
    ...withReportedErrors(lifecycle),
    configure: (request: { readonly config: typeof config }) => {
      config = request.config;
      return Promise.resolve();
    },
  };
}

/** The handlers by their names in the provider text. Each is loaded only if a stack needs it. */
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
      require("./clusterConnectionStrings/lifecycle") as typeof ConnectionStrings;
    return handler(clusterConnectionStringsLifecycle(open, warning));
  },
};

export = handlers;
