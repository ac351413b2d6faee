import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { apiPath, projectId } from "../client";
import { seedOf } from "../seeds";
import { useSimulator } from "../testService";
import { hasFocus, useStatusPage } from "./browser";

describe("the status page with --control", function () {
  this.timeout(60_000);
  const service = useSimulator({
    seed: seedOf([{ name: "orders", version: "7.0.12" }], { privateIpMode: { enabled: true } }),
    control: true,
  });
  const pages = useStatusPage(service);
  const project = () => service.simulator.project(projectId);
  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();

  it("changes a version with the keyboard alone", async () => {
    const page = await pages.open();
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

  it("changes state and peering, and nothing else", async () => {
    const page = await pages.open();
    project().updateCluster("orders", { state: "CREATING", readyInSeconds: 600 });
    await page.getByText("CREATING", { exact: true }).first().waitFor();
    const { transitions } = project().cluster("orders");
    await press(page, "Change cluster orders");
    const dialog = page.getByRole("dialog", { name: "Change cluster orders" });
    await dialog.getByLabel("Network peering").check();
    await dialog.getByRole("button", { name: "Change" }).click();
    await page.getByText("Changed: orders").waitFor();
    assert.equal(project().cluster("orders").peering, true);
    assert.deepEqual(project().cluster("orders").transitions, transitions);
    await press(page, "Change cluster orders");
    await dialog.getByLabel("State").selectOption("REPAIRING");
    await dialog.getByRole("button", { name: "Change" }).click();
    await page.locator(".chip").getByText("REPAIRING").waitFor();
    assert.equal(project().cluster("orders").state, "REPAIRING");
  });

  it("shows an error of the service in the dialog, and keeps the input", async () => {
    const page = await pages.open();
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

  it("keeps the input and the focus while data changes", async () => {
    const page = await pages.open();
    await press(page, "Change cluster orders");
    const version = page.getByRole("dialog").getByLabel("Version");
    await version.fill("6.0");
    project().updateCluster("orders", { version: "8.0.4" });
    project().addCluster({ name: "late" });
    await page.getByText("Connection strings (2)").nth(1).waitFor();
    await page.getByText("8.0.4", { exact: true }).first().waitFor();
    assert.equal(await version.inputValue(), "6.0");
    assert.ok(await hasFocus(version));
  });

  it("adds and removes clusters", async () => {
    const page = await pages.open();
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

  it("removes nothing if the confirmation is cancelled", async () => {
    const page = await pages.open();
    await press(page, "Remove cluster orders");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    assert.equal(project().clusters.length, 1);
  });

  it("turns private IP mode off and on", async () => {
    const page = await pages.open();
    await press(page, "Turn off private IP mode");
    await page.getByText("Private IP mode is off.").first().waitFor();
    assert.equal(project().privateIpMode.enabled, false);
    await press(page, "Turn on private IP mode");
    await page.getByRole("button", { name: "Turn off private IP mode" }).waitFor();
    assert.equal(project().privateIpMode.enabled, true);
  });

  it("shows an error beside the button that failed", async () => {
    const page = await pages.open();
    await page.route("**/control/**", (route) => route.abort());
    await press(page, "Turn off private IP mode");
    await page
      .getByRole("alert")
      .getByText(/The simulator cannot be reached/)
      .waitFor();
  });

  it("injects and removes faults", async () => {
    const page = await pages.open();
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
    const page = await pages.open();
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
