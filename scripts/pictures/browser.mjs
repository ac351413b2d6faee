// @ts-check
/** Takes screenshots with Chromium. */
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { Failure } from "../terminal.mjs";

const names = ["chromium", "chromium-browser", "google-chrome"];

/**
 * @typedef {object} PictureBrowser
 * @property {(html: string, file: string) => Promise<void>} pictureOf writes a picture of the element `main`
 * @property {(url: string, file: string) => Promise<void>} pictureOfStatusPage writes a picture of the
 *   simulator's page
 */

/**
 * Starts Chromium, runs the work, and stops Chromium.
 * @param {(browser: PictureBrowser) => Promise<void>} work
 * @throws {Failure} if Chromium is not installed
 */
export async function withBrowser(work) {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const context = await browser.newContext({
      colorScheme: "light",
      deviceScaleFactor: 1.4,
      ignoreHTTPSErrors: true,
      // The height ends the picture of the status page between two lines of text.
      viewport: { width: 1100, height: 639 },
    });
    await work({
      pictureOf: async (html, file) => {
        const page = await context.newPage();
        await page.setContent(html);
        await page.locator("main").screenshot({ path: file, omitBackground: true });
      },
      pictureOfStatusPage: async (url, file) => {
        const page = await context.newPage();
        await page.goto(url);
        await page.getByText("Connected", { exact: true }).waitFor();
        // Leaves room for the other clusters.
        await page
          .locator("article details")
          .evaluateAll((all) => all.forEach((each) => each.removeAttribute("open")));
        await page.screenshot({ path: file, animations: "disabled" });
      },
    });
  } finally {
    await browser.close();
  }
}

function findChromium() {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const found = names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => fs.existsSync(file));
  if (found === undefined) {
    throw new Failure(
      "Chromium is not on PATH. Install it (apt-get install chromium), then repeat the command.",
    );
  }
  return found;
}
