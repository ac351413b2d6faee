/**
 * The module `pulumi-clouddb/runtime`: the entry point of the engine's provider process, loaded by the
 * text in program/providerText.ts. Published as one bundle, because the engine starts a process for
 * every operation on a stack (docs/decisions/0010-bundled-runtime.md). Never loads the main module of
 * @pulumi/pulumi or TypeScript.
 *
 * The process loads this module once and configures each lifecycle with the same settings, so all
 * resources share one session. The session is opened on first use: a failing configure would leave the
 * lifecycles unconfigured, and an operation without requests does not need the client.
 */
import type * as ClusterConnectionStrings from "./clusterConnectionStrings/lifecycle";
import { type HeldProjects, heldProjects } from "./privateIpMode/heldProjects";
import type * as PrivateIpMode from "./privateIpMode/lifecycle";
import { peeringWarning } from "./privateIpMode/peeringWarning";
import { engineWatch } from "./providerProcess/engineContact";
import { engineLog } from "./providerProcess/engineLog";
import { type Lifecycle, withReportedErrors } from "./providerProcess/lifecycle";
import type * as SessionModule from "./session/session";
import { processSettings } from "./session/settingsSource";

/* eslint-disable @typescript-eslint/no-require-imports, @typescript-eslint/no-unsafe-assignment --
   The client and each lifecycle are loaded only if a stack needs them. */

type Configuration = Parameters<typeof processSettings>[0];

/** The state that the resources of a provider process share. */
class ProviderProcess {
  private configuration: Configuration = { get: () => undefined };
  private session: SessionModule.Session | undefined;
  private projects: HeldProjects | undefined;
  /** The warning about a disable. */
  readonly warning = peeringWarning(engineLog);

  /** Only stores the configuration, so that it never fails. */
  readonly configure = (request: { readonly config: Configuration }): Promise<void> => {
    this.configuration = request.config;
    return Promise.resolve();
  };

  readonly open = (): SessionModule.Session => {
    if (this.session !== undefined) return this.session;
    const { openSession }: typeof SessionModule = require("./session/session");
    this.session = openSession(processSettings(this.configuration), engineLog);
    return this.session;
  };

  readonly heldProjects = (): HeldProjects => {
    this.projects ??= heldProjects({ service: this.open().client.apiRoot });
    return this.projects;
  };

  /** Returns the hooks that the engine calls. */
  handler(lifecycle: Lifecycle) {
    return { ...withReportedErrors(lifecycle), configure: this.configure };
  }
}

const providerProcess = new ProviderProcess();

/** The handlers by their names in the provider text. */
const handlers = {
  get privateIpMode() {
    const { privateIpModeLifecycle }: typeof PrivateIpMode = require("./privateIpMode/lifecycle");
    return providerProcess.handler(
      privateIpModeLifecycle({
        open: providerProcess.open,
        held: providerProcess.heldProjects,
        warning: providerProcess.warning,
        engine: engineWatch(),
        states: new Map(),
      }),
    );
  },

  get clusterConnectionStrings() {
    const {
      clusterConnectionStringsLifecycle,
    }: typeof ClusterConnectionStrings = require("./clusterConnectionStrings/lifecycle");
    return providerProcess.handler(
      clusterConnectionStringsLifecycle(providerProcess.open, providerProcess.warning),
    );
  },
};

export = handlers;
