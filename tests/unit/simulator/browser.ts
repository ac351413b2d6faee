/** Opens the status page in Chromium, with one browser per file and one page per test. */
import assert from "node:assert/strict";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, type Page, chromium } from "playwright-core";
import type { Service } from "../../support/service";

/**
 * Registers the hooks that start a browser for the tests of a suite and close the pages of each test. A test fails if
 * the page throws an error, or violates its content security policy. Skips the suite if Chromium is not installed.
 *
 * @param service the simulator, which runs during each test
 * @returns a function that opens the page; it is closed after the test
 */
export function useStatusPage(service: Service) {
  let browser: Browser | undefined;
  const pages: Page[] = [];
  const problems: string[] = [];

  before(async function () {
    this.timeout(60_000);
    const executablePath = findChromium();
    if (executablePath === undefined) {
      console.log("      skipped: no chromium is installed (apt-get install chromium)");
      this.skip();
    }
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  after(() => browser?.close());
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
    assert.deepEqual(problems.splice(0), []);
  });

  return async (options: BrowserContextOptions = {}, url = service.url) => {
    assert.ok(browser);
    const page = await browser.newPage({ ignoreHTTPSErrors: true, ...options });
    pages.push(page);
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      // Chromium also logs every response with an error status.
      const isStatus = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isStatus) problems.push(message.text());
    });
    await page.goto(url);
    await page.getByText("Connected", { exact: true }).waitFor();
    return page;
  };
}

function findChromium(): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
