/** A universe contains a service, a network and an engine in virtual time. */
import type fc from "fast-check";
import { VirtualTime } from "./clock";
import type { Universe } from "./engine";
import { Network } from "./network";
import { type Run, currentCaller, replaceSurroundings } from "./providers";
import { type Conditions, Service } from "./service";

const services = new Map<string, Promise<Service>>();

/**
 * Runs work in a separate universe.
 *
 * @param scheduler decides what happens next
 * @param conditions how the service is set up
 * @param work what happens in the universe
 */
export async function inUniverse<T>(
  scheduler: fc.Scheduler,
  conditions: Conditions,
  work: (universe: Universe) => Promise<T>,
): Promise<T> {
  // The client loads these on its first request, which takes real time.
  await Promise.all([import("undici"), import("p-throttle")]);
  const { tokenSeconds, requestsPerMinute } = conditions;
  const name = `${tokenSeconds} ${requestsPerMinute}`;
  const service = await (services.get(name) ?? Service.create(conditions));
  services.set(name, Promise.resolve(service));
  const runs: Run[] = [];
  const time = new VirtualTime(scheduler);
  const network = new Network(time, service, conditions, currentCaller);
  const restoreSurroundings = replaceSurroundings(runs);
  try {
    service.reset();
    return await time.until(work({ time, service, conditions, runs, sent: network.sent }));
  } finally {
    restoreSurroundings();
    network.restore();
    time.restore();
  }
}
