/** The Mocha hooks of this layer: a service with projects, and machines. */
import { scratchFolder, useCleanup } from "../cleanup";
import { type Service, settingsFor, useService } from "../service";
import { type FleetList, type Machine, createMachine } from "./machine";
import { fleetSeed } from "./seed";

interface Fleets {
  readonly service: Service;
  /**
   * Creates a machine.
   *
   * @param fleet the content of fleet.json
   * @param environment the backend and other variables
   */
  readonly createMachine: (fleet: FleetList, environment: Record<string, string>) => Machine;
  /** Returns the variables for a new file backend. */
  readonly fileBackend: () => Record<string, string>;
}

/** Runs a service with three projects during the tests of the enclosing `describe`. */
export function useFleet(): Fleets {
  const cleanup = useCleanup("test");
  const service = useService(fleetSeed(3));
  return {
    service,
    fileBackend: () => ({ PULUMI_BACKEND_URL: `file://${scratchFolder(cleanup)}` }),
    createMachine: (fleet, environment) =>
      createMachine(cleanup, fleet, { ...settingsFor(service), ...environment }),
  };
}
