/** Ends this process after the engine that started it, which cannot end its plugins if it is killed. */

/** How often to check whether the parent is still running, in milliseconds. */
const checkInterval = 1000;

export function exitWithParent(stop: () => Promise<void>): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    void stop().finally(() => process.exit());
  }, checkInterval);
  timer.unref();
}
