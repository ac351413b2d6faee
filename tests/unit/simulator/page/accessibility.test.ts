import assert from "node:assert/strict";
import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { apiPath } from "../client";
import { seedOf, shardedCluster } from "../seeds";
import { useSimulator } from "../testService";
import { useStatusPage } from "./browser";

describe("the status page in every color scheme and width", function () {
  this.timeout(60_000);
  const service = useSimulator({
    seed: seedOf(
      [
        { name: `c${"long".repeat(15)}`, version: "6.0.5", peering: true },
        { ...shardedCluster, createdAt: "2019-01-01", state: "UPDATING" },
      ],
      { privateIpMode: { enabled: true }, name: "w".repeat(64) },
    ),
    control: true,
  });
  const pages = useStatusPage(service);

  /** Sends requests with every kind of outcome, and waits until the page displays them. */
  async function showRequests(page: Page): Promise<void> {
    const { faults } = service.simulator;
    faults.push({ status: 503, times: 1 }, { reset: "after", times: 1 });
    await service.send(apiPath);
    await service.send(apiPath).catch(() => undefined);
    await service.call(`/groups/${"f".repeat(64)}/clusters`);
    faults.push({ delayMs: 10, times: Infinity, path: `${apiPath}/${"x".repeat(100)}` });
    await page.locator("#requests li").nth(3).waitFor();
    await page.getByText("Pending faults").waitFor();
  }

  for (const colorScheme of ["light", "dark"] as const) {
    it(`passes axe-core in the ${colorScheme} color scheme`, async () => {
      const page = await pages.open({ colorScheme });
      await showRequests(page);
      await page.getByText("Try it with curl").click();
      assert.deepEqual(await violations(page), []);
      for (const name of ["Inject a fault", "Reset", /^Change cluster/, /^Add a cluster/]) {
        await page.getByRole("button", { name }).first().click();
        assert.deepEqual(await violations(page), []);
        await page.keyboard.press("Escape");
      }
    });
  }

  for (const width of [360, 768, 1440, 2560]) {
    it(`does not scroll horizontally at ${width} px`, async () => {
      const page = await pages.open({ viewport: { width, height: 800 } });
      await showRequests(page);
      await page.getByText("Try it with curl").click();
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
      await page.getByRole("button", { name: /^Add a cluster/ }).click();
      const dialog = await page.getByRole("dialog").boundingBox();
      assert.ok(dialog && dialog.x >= 0 && dialog.x + dialog.width <= width);
    });
  }
});

/** Returns what axe-core reports, as text. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate<AxeResults>("axe.run()");
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${html}\n${failureSummary}`),
  );
}
