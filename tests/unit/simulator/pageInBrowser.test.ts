import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { hasFocus, useStatusPage } from "./browser";
import { apiPath, modePath, projectId } from "./client";
import { seedOf, shardedCluster } from "./seeds";
import { useSimulator } from "./testService";

describe("the status page in a browser", function () {
  this.timeout(60_000);
  const service = useSimulator({
    seed: seedOf(
      [
        { name: "orders", version: "7.0.12", peering: true },
        { ...shardedCluster, name: "analytics" },
      ],
      { privateIpMode: { enabled: true } },
    ),
  });
  const open = useStatusPage(service);
  const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });

  it("shows clusters with their versions, strings, peering and endpoint IDs", async () => {
    const page = await open();
    const orders = card(page, "orders");
    for (const text of [/7\.0\.12/, /^db\+srv:\/\/orders-pri\./, "yes"]) {
      await orders.getByText(text).first().waitFor();
    }
    await card(page, "analytics").getByText("vpce-1 in us-east-1").waitFor();
    await card(page, "analytics").getByText("Private endpoint vpce-1, optimized SRV").waitFor();
  });

  it("updates clusters, private IP mode and recent requests", async () => {
    const page = await open();
    await page.getByText("Private IP mode is on.").waitFor();
    await service.patch(modePath, { enabled: false });
    await page.getByText("Private IP mode is off.").waitFor();
    const request = page.getByRole("listitem").filter({ hasText: "PATCH" });
    await request.filter({ hasText: "200" }).filter({ hasText: "demo" }).waitFor();
    service.simulator.project(projectId).addCluster({ name: "late", state: "CREATING" });
    await card(page, "late").getByText("CREATING").waitFor();
    service.simulator.project(projectId).removeCluster("late");
    await card(page, "late").waitFor({ state: "detached" });
  });

  it("says whether private IP mode can be disabled, and which clusters prevent it", async () => {
    const page = await open();
    await page.getByText("It can be disabled: every cluster runs version 7.0 or later.").waitFor();
    const project = service.simulator.project(projectId);
    project.updateCluster("orders", { version: "6.0.5" });
    await page.getByText("It cannot be disabled: orders runs 6.0.5;").waitFor();
    for (let index = 0; index < 8; index += 1) {
      project.addCluster({ name: `old${index}`, version: "5.0.1" });
    }
    await page.getByText(/old3 runs 5\.0\.1, 4 other clusters below 7\.0;/).waitFor();
  });

  it("copies a string, and confirms it", async () => {
    const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("button", { name: "Copy: Standard, SRV of orders" }).click();
    await page.getByRole("status").getByText("Copied: Standard, SRV of orders").waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    assert.match(String(copied), /^db\+srv:\/\/orders\.\w+\.clusters\.example$/);
  });

  it("keeps focus and open details while data changes", async () => {
    const page = await open();
    const copy = page.getByRole("button", { name: "Copy: Standard, SRV of analytics" });
    await page.getByText("Try it with curl").click();
    await copy.focus();
    service.simulator.project(projectId).updateCluster("analytics", { version: "8.0.4" });
    service.simulator.project(projectId).removeCluster("orders");
    await card(page, "analytics").getByText("8.0.4").waitFor();
    assert.ok(await hasFocus(copy));
    assert.ok(await page.getByText("CLOUDDB_PRIVATE_KEY to").isVisible());
  });

  it("says when it is disconnected", async () => {
    const page = await open();
    await service.stop();
    await page.getByText("Disconnected; retrying").waitFor();
  });

  it("has no controls without --control", async () => {
    const page = await open();
    await card(page, "orders").waitFor();
    assert.equal(await page.locator("form, dialog, input, select").count(), 0);
    for (const name of await page.getByRole("button").allTextContents()) assert.equal(name, "Copy");
  });

  it("inserts names as text, with invisible and bidirectional characters escaped", async () => {
    const unsafe = "<img src=x onerror=alert(1)>\u001b[31m\u202eb\u200b";
    const safe = "<img src=x onerror=alert(1)>\\u{1b}[31m\\u{202e}b\\u{200b}";
    const page = await open({}, (each) =>
      each.route("**/page.json", (route) => route.fulfill({ json: unsafeData(unsafe) })),
    );
    await page.getByRole("heading", { name: `${safe} (${safe})` }).waitFor();
    const text = await page.locator("main").innerText();
    assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
    const html = await page.locator("body").innerHTML();
    assert.equal(html.replaceAll("\n", "").search(/[\p{Cc}\p{Cf}]/u), -1);
    assert.equal(await page.locator("img").count(), 0);
    assert.ok((await page.getByText(safe).count()) > 5);
  });
});

/** Returns data of the page with the same text in every text field. */
function unsafeData(text: string) {
  const cluster = { name: text, type: text, version: text, state: text, provider: text };
  const endpoint = { endpointId: text, region: text };
  const strings = {
    [text]: text,
    privateEndpoint: [{ connectionString: text, srvConnectionString: text, endpoints: [endpoint] }],
  };
  return {
    control: true,
    baseUrl: text,
    caFile: text,
    clockOffsetSeconds: 0,
    faultCount: 1,
    faults: [{ method: text, path: text, times: "1", status: 503 }],
    projects: [
      {
        id: text,
        name: text,
        organization: text,
        privateIpMode: true,
        minimumVersion: text,
        oldClusterCount: 1,
        oldClusters: [{ name: text, version: text }],
        curl: text,
        clusterCount: 1,
        clusters: [
          { ...cluster, regions: [text], peering: true, privateEndpoints: [endpoint], strings },
        ],
      },
    ],
    requests: [
      { at: "2026-01-01T00:00:00Z", method: text, path: text, principal: text, status: 200 },
    ],
  };
}

describe("the status page with --control", function () {
  this.timeout(60_000);
  const service = useSimulator({
    seed: seedOf([{ name: "orders", version: "7.0.12" }], { privateIpMode: { enabled: true } }),
    control: true,
  });
  const open = useStatusPage(service);
  const project = () => service.simulator.project(projectId);
  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();

  it("changes a version with the keyboard alone", async () => {
    const page = await open();
    const change = page.getByRole("button", { name: "Change cluster orders" });
    await change.waitFor();
    for (let tabs = 0; !(await hasFocus(change)); tabs += 1) {
      assert.ok(tabs < 50, "the button cannot be reached with Tab");
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("6.0");
    await page.keyboard.press("Enter");
    await page.getByText("It cannot be disabled: orders runs 6.0.0").waitFor();
    assert.equal(project().cluster("orders").version, "6.0.0");
    assert.ok(await hasFocus(change), "focus returns");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("dialog[open]").count(), 0);
  });

  it("shows an error of the service in the dialog, and keeps the input", async () => {
    const page = await open();
    await press(page, "Change cluster orders");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Version").fill("seven");
    await dialog.getByRole("button", { name: "Change" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/version: must be of the form/)
      .waitFor();
    assert.equal(await dialog.getByLabel("Version").inputValue(), "seven");
    assert.equal(project().cluster("orders").version, "7.0.12");
  });

  it("adds and removes clusters", async () => {
    const page = await open();
    await press(page, "Add a cluster to orders");
    const dialog = page.getByRole("dialog", { name: "Add a cluster to orders" });
    await dialog.getByLabel("Name").fill("reports");
    await dialog.getByLabel("Version").fill("6.0.5");
    await dialog.getByLabel("Type").selectOption("SHARDED");
    await dialog.getByLabel("Regions").fill("us-east-1, eu-west-1");
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByRole("article", { name: "reports" }).waitFor();
    const { version, type, regions } = project().cluster("reports");
    assert.deepEqual([version, type, regions], ["6.0.5", "SHARDED", ["us-east-1", "eu-west-1"]]);

    await press(page, "Remove cluster reports");
    await press(page, "Remove");
    await page.getByRole("article", { name: "reports" }).waitFor({ state: "detached" });
    assert.deepEqual(
      project().clusters.map(({ name }) => name),
      ["orders"],
    );
    await page.locator(".add-cluster:focus").waitFor();
  });

  it("turns private IP mode off and on", async () => {
    const page = await open();
    await press(page, "Turn off private IP mode");
    await page.getByText("Private IP mode is off.").first().waitFor();
    assert.equal(project().privateIpMode.enabled, false);
    await press(page, "Turn on private IP mode");
    await page.getByRole("button", { name: "Turn off private IP mode" }).waitFor();
    assert.equal(project().privateIpMode.enabled, true);
  });

  it("injects and removes faults", async () => {
    const page = await open();
    await press(page, "Inject a fault");
    const dialog = page.getByRole("dialog", { name: "Inject a fault" });
    await dialog.getByLabel("Status").fill("429");
    await dialog.getByLabel("Number of requests").fill("2");
    await dialog.getByLabel("Method").selectOption("GET");
    await dialog.getByLabel("Path").fill("v1.0$");
    await dialog.getByRole("button", { name: "Inject" }).click();
    await page.getByText("status 429 for the next 2 GET requests, path /v1.0$/").waitFor();
    assert.equal((await service.send(apiPath)).status, 429);
    await page.getByText("status 429 for the next GET request, path /v1.0$/").waitFor();
    await press(page, "Remove all faults");
    await page.getByText("Pending faults").waitFor({ state: "detached" });
    assert.equal(service.simulator.faults.pending.length, 0);
  });

  it("advances the clock, and resets the simulator", async () => {
    const page = await open();
    project().updateCluster("orders", { version: "6.0.5" });
    await page.getByLabel("Advance by").fill("90");
    await page.getByLabel("Unit").selectOption("minutes");
    await press(page, "Advance the clock");
    await page.getByText("The clock is 1 h 30 min ahead of real time.").waitFor();
    assert.ok(service.simulator.clock.now() > Date.now() + 5_300_000);
    await press(page, "Reset");
    await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click();
    await page.getByText("The clock shows real time.").waitFor();
    assert.equal(project().cluster("orders").version, "7.0.12");
  });
});
