import assert from "node:assert/strict";
import { useStatusPage } from "./browser";
import { apiPath, projectId } from "./client";
import { seedOf } from "./seeds";
import { useSimulator } from "./testService";

describe("the status page in a browser", function () {
  this.timeout(60_000);
  const service = useSimulator({
    seed: seedOf([{ name: "orders", version: "7.0.12", peering: true }], {
      privateIpMode: { enabled: true },
    }),
    control: true,
  });
  const open = useStatusPage(service);

  it("shows the connection, and shows and changes clusters, private IP mode, faults and the clock", async () => {
    const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    const project = () => service.simulator.project(projectId);
    const dialog = page.getByRole("dialog");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const orders = page.getByRole("article", { name: "orders", exact: true });
    await orders.getByText(/^db\+srv:\/\/orders-pri\./).waitFor();
    await page.getByText("It can be disabled: every cluster runs version 7.0 or later.").waitFor();
    await button("Copy: internet of orders").click();
    await page.getByRole("status").getByText("Copied: internet of orders").waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    assert.match(String(copied), /^db\+srv:\/\/orders\.\w+\.clusters\.example$/);

    await button("Copy: Commands for a stack").click();
    await page.getByRole("status").getByText("Copied: Commands for a stack").waitFor();
    const commands = String(await page.evaluate("navigator.clipboard.readText()")).split("\n");
    assert.equal(commands.at(-1), "pulumi config set --secret clouddb:privateKey demo-secret");

    // Using only the keyboard, from an invalid version to a valid one.
    const change = button("Change cluster orders");
    const hasFocus = async () => (await change.and(page.locator(":focus")).count()) === 1;
    for (let tabs = 0; !(await hasFocus()); tabs += 1) {
      assert.ok(tabs < 50, "the button cannot be reached with Tab");
      await page.keyboard.press("Tab");
    }
    for (const version of ["seven", "6.0"]) {
      if (version === "seven") await page.keyboard.press("Enter");
      else await dialog.getByText(/version: must be of the form/).waitFor();
      await dialog.getByLabel("Version").focus();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type(version);
      await page.keyboard.press("Enter");
    }
    await page.getByText("It cannot be disabled: orders runs 6.0.0").waitFor();
    assert.ok(await hasFocus(), "focus returns");

    await button("Add a cluster to orders").click();
    await dialog.getByLabel("Name").fill("reports");
    await dialog.getByLabel("Regions").fill("us-east-1, eu-west-1");
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByRole("article", { name: "reports" }).waitFor();
    assert.deepEqual(project().cluster("reports").regions, ["us-east-1", "eu-west-1"]);
    await button("Remove cluster reports").click();
    await button("Remove").click();
    await page.getByRole("article", { name: "reports" }).waitFor({ state: "detached" });

    await button("Turn off private IP mode").click();
    await page.getByText("Private IP mode is off.").first().waitFor();
    assert.equal(project().privateIpMode.enabled, false);

    // User text is neither treated as HTML nor invisible.
    await button("Inject a fault").click();
    await dialog.getByLabel("Status").fill("429");
    await dialog.getByLabel("Path").fill("v1.0$|<img src=x onerror=alert(1)>\u202eb");
    await dialog.getByRole("button", { name: "Inject" }).click();
    await page.getByText("|<img src=x onerror=alert(1)>\\u{202e}b/").waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.equal((await service.send(apiPath)).status, 429);
    await page.getByText("Pending faults").waitFor({ state: "detached" });
    for (const [effect, fault, text] of [
      ["Delay only", { delayMs: 20 }, "delay of 20 ms"],
      ["Reset before processing", { delayMs: 20, reset: true }, "reset before processing"],
      ["Reset after processing", { delayMs: 20, reset: "after" }, "reset after processing"],
      ["Truncate the response", { delayMs: 20, truncate: true }, "truncated body"],
    ] as const) {
      await button("Inject a fault").click();
      await dialog.getByLabel("Effect").selectOption(effect);
      await dialog.getByRole("spinbutton", { name: "Status" }).waitFor({ state: "hidden" });
      await dialog.getByRole("spinbutton", { name: "Delay" }).fill("20");
      await dialog.getByRole("button", { name: "Inject" }).click();
      await page.locator("#faults").getByText(text).waitFor();
      assert.deepEqual(service.simulator.faults.pending.at(-1), { times: 1, ...fault });
    }

    await page.getByLabel("Advance by").fill("90");
    await page.getByLabel("Unit").selectOption("minutes");
    await button("Advance the clock").click();
    await page.getByText("The clock is 1 h 30 min ahead of real time.").waitFor();
    await button("Reset").click();
    await dialog.getByRole("button", { name: "Reset" }).click();
    await orders.getByText(/7\.0\.12/).waitFor();

    await service.stop();
    await page.getByText("Disconnected; retrying").waitFor();

    await page.goto((await service.start({ control: false })).url);
    await page.getByText("Nothing can be changed here").waitFor();
    assert.equal(await change.count(), 0);
  });
});
