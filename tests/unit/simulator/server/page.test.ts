import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { type Browser, chromium, type Page } from "playwright-core";
import { modePath, projectId } from "../client";
import { seedOf } from "../seeds";
import { type TestService, useSimulator } from "../testService";

const chromiumPath = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find(existsSync);

describe("the status page", () => {
  const service = useSimulator({
    seed: seedOf([{ name: "orders", version: "7.0.12", peering: true }], {
      privateIpMode: { enabled: true },
    }),
  });

  it("serves its script and styles without credentials and without secrets", async () => {
    for (const [path, type] of [
      ["/", "text/html"],
      ["/page.js", "text/javascript"],
      ["/page.css", "text/css"],
      ["/page.json", "application/json"],
    ] as const) {
      const response = await service.send(path);
      assert.equal(response.status, 200);
      assert.ok(String(response.headers["content-type"]).startsWith(type));
      assert.match(String(response.headers["content-security-policy"]), /default-src 'none'/);
      assert.ok(!response.text.includes("demo-secret"));
    }
    assert.equal(service.simulator.requests.length, 0);
  });

  it("rejects other host names, so that no web site can read it", async () => {
    for (const path of ["/", "/page.json"]) {
      const response = await service.send(path, { headers: { host: "evil.example" } });
      assert.equal(response.status, 403);
    }
  });

  it("returns 304 until the data changes", async () => {
    const first = await service.send("/page.json");
    const headers = { "if-none-match": String(first.headers.etag) };
    assert.equal((await service.send("/page.json", { headers })).status, 304);
    service.simulator.project(projectId).setPrivateIpMode(false);
    assert.equal((await service.send("/page.json", { headers })).status, 200);
  });

  it("escapes control and bidirectional characters in names and paths", async () => {
    const unsafe = "a\u001b[31m\u202eb\u200b";
    const safe = "a\\u{1b}[31m\\u{202e}b\\u{200b}";
    const cluster = { name: unsafe, type: unsafe, version: unsafe, state: unsafe };
    const project = { id: unsafe, name: unsafe, organization: unsafe, clusterCount: 1 };
    const at = "2026-01-01T00:00:00Z";
    const text = await renderedText(service, {
      projects: [{ ...project, clusters: [{ ...cluster, strings: { [unsafe]: unsafe } }] }],
      requests: [{ at, method: unsafe, path: unsafe, principal: unsafe, status: 200 }],
    });
    assert.ok(text.includes(`${safe} (${safe})`));
    assert.equal(text.split(safe).length - 1, 12);
    assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
  });

  describe("in a browser", function () {
    this.timeout(60_000);
    let browser: Browser | undefined;
    let page: Page;
    const problems: string[] = [];

    before(async function () {
      if (chromiumPath === undefined) {
        console.log("      skipped: no chromium is installed (apt-get install chromium)");
        this.skip();
      }
      browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
    });
    after(() => browser?.close());
    beforeEach(async () => {
      assert.ok(browser);
      page = await browser.newPage({ ignoreHTTPSErrors: true });
      problems.length = 0;
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") problems.push(message.text());
      });
      await page.goto(service.simulator.url);
    });
    afterEach(async () => {
      await page.close();
      assert.deepEqual(problems, []);
    });
    const cell = (text: string | RegExp) => page.getByRole("cell", { name: text }).first();

    it("shows projects, clusters, versions and strings", async () => {
      await page.getByRole("heading", { name: "orders (acme)" }).waitFor();
      await page.getByText("private IP mode on").waitFor();
      await cell("7.0.12").waitFor();
      await cell(/db\+srv:\/\/orders-pri\./).waitFor();
    });

    it("updates clusters, private IP mode and recent requests", async () => {
      await page.getByText("private IP mode on").waitFor();
      await service.call(modePath, {
        method: "PATCH",
        json: { enabled: false },
      });
      await page.getByText("private IP mode off").waitFor();
      const row = page.getByRole("row").filter({ hasText: "PATCH" }).filter({ hasText: "200" });
      await row.waitFor();
      assert.match((await row.textContent()) ?? "", /privateIpMode.*demo/);
      service.simulator.project(projectId).addCluster({ name: "late", state: "CREATING" });
      await page
        .getByRole("row")
        .filter({ hasText: "late" })
        .filter({ hasText: "CREATING" })
        .waitFor();
    });

    it("inserts names as text, not as HTML", async () => {
      const name = "<img src=x onerror=alert(1)>";
      service.simulator.addProject({ id: "64a0c0ffee0000000000a00f", name, organization: "acme" });
      await page.getByRole("heading", { name }).waitFor();
      assert.equal(await page.locator("#projects img").count(), 0);
    });

    it("escapes bidirectional characters in a name", async () => {
      const name = "a\u202eb";
      service.simulator.addProject({ id: "64a0c0ffee0000000000a00e", name, organization: "acme" });
      await page.getByRole("heading", { name: "a\\u{202e}b" }).waitFor();
    });
  });
});

/** Returns all text that the script of the page inserts, by running it on a minimal document. */
async function renderedText(service: TestService, data: object): Promise<string> {
  class Node {
    readonly dataset = {};
    readonly children: (Node | string)[] = [];
    append(...children: (Node | string)[]): void {
      this.children.push(...children);
    }
    replaceChildren(...children: (Node | string)[]): void {
      this.children.splice(0, Infinity, ...children);
    }
    get text(): string {
      return this.children.map((child) => (child instanceof Node ? child.text : child)).join("\n");
    }
  }
  const parts = new Map(["projects", "requests", "connection"].map((id) => [id, new Node()]));
  const script = (await service.send("/page.js")).text;
  await new Promise<void>((resolve) => {
    const response = { status: 200, json: () => Promise.resolve(data), headers: new Headers() };
    runInNewContext(script, {
      Node,
      document: {
        createElement: () => new Node(),
        getElementById: (id: string) => parts.get(id),
      },
      fetch: () => Promise.resolve(response),
      setTimeout: resolve,
    });
  });
  return [...parts.values()].map(({ text }) => text).join("\n");
}
