import assert from "node:assert/strict";
import { useOwnServices, useService } from "../../support/service";
import { useStatusPage } from "./browser";
import { projectId } from "./client";
import { otherProjectId, seedOf } from "./seeds";

describe("the status page in a browser", function () {
  this.timeout(60_000);
  const { organizations: [organization = { name: "acme" }] = [], ...rest } = seedOf(
    [{ name: "orders", version: "7.0.12", peering: true }],
    { privateIpMode: { enabled: true } },
  );
  const roles = [{ role: "owner" as const }];
  const serviceAccounts = [{ clientId: "svc_demo", clientSecret: "svc-secret", roles }];
  const seed = { ...rest, organizations: [{ ...organization, serviceAccounts }] };
  const service = useService(seed, { control: true });
  const start = useOwnServices();
  const open = useStatusPage(service);
  const project = () => service.project(projectId);

  it("shows the connection, private IP mode and connection strings, and copies them", async () => {
    const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    const copied = async (name: string) => {
      await page.getByRole("button", { name: `Copy: ${name}`, exact: true }).click();
      await page.getByRole("status").getByText(`Copied: ${name}`).waitFor();
      return String(await page.evaluate("navigator.clipboard.readText()"));
    };
    await page.getByText("It can be disabled: every cluster runs version 7.0 or later.").waitFor();
    const lastCommand = async (label: string) => (await copied(label)).split("\n").at(-1);
    assert.equal(
      await lastCommand("Commands for a stack"),
      "pulumi config set --secret clouddb:clientSecret svc-secret",
    );
    await page.getByText("Use an API key instead").click();
    assert.equal(
      await lastCommand("Commands for a stack of the API key"),
      "pulumi config set --secret clouddb:privateKey demo-secret",
    );
    const orders = page.getByRole("article", { name: "orders", exact: true });
    await orders.getByText("A (AWS)").waitFor();
    assert.equal(await orders.getByText("peering, SRV").isVisible(), false);
    await orders.getByText("Connection strings (4)").click();
    assert.equal(await orders.getByText("peering, SRV").isVisible(), true);
    assert.match(
      await copied("internet, SRV of orders"),
      /^db\+srv:\/\/orders\.\w+\.clusters\.example$/,
    );
  });

  it("changes a version and private IP mode with one click", async () => {
    const page = await open();
    await page.getByLabel("Version of orders").selectOption("6.0.5");
    await page.getByText("It cannot be disabled: orders runs 6.0.5").waitFor();
    assert.equal(project().cluster("orders").version, "6.0.5");
    await page.getByRole("button", { name: "Turn off private IP mode of orders" }).click();
    await page.getByText("Private IP mode is off.").first().waitFor();
    assert.equal(project().privateIpMode.enabled, false);
  });

  it("edits a cluster as the JSON of its seed, by keyboard, and shows what is wrong with it", async () => {
    const page = await open();
    const dialog = page.getByRole("dialog");
    const edit = page.getByRole("button", { name: "Edit cluster orders" });
    const hasFocus = async () => (await edit.and(page.locator(":focus")).count()) === 1;
    for (let tabs = 0; !(await hasFocus()); tabs += 1) {
      assert.ok(tabs < 50, "the button cannot be reached with Tab");
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    const text = dialog.getByRole("textbox");
    await text.waitFor();
    const seed = JSON.parse(await text.inputValue()) as object;
    assert.deepEqual(seed, project().cluster("orders"));

    for (const [wrong, problem] of [
      ["{", /The text is not JSON/],
      [JSON.stringify({ ...seed, version: "seven" }), /must be of the form [^\\]+ → at version$/],
      [JSON.stringify({ ...seed, name: "other" }), /name of a cluster cannot be changed/],
    ] as const) {
      await text.fill(wrong);
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText(problem).waitFor();
    }
    const privateEndpoints = [{ endpointId: "vpce-1", region: "eu-west-1" }];
    const changed = { ...seed, regions: ["eu-west-1"], privateEndpoints, hostName: "renamed" };
    await text.fill(JSON.stringify(changed));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "hidden" });
    assert.ok(await hasFocus(), "focus returns");
    await page.getByText("vpce-1 in eu-west-1").waitFor();
    await page.getByText("Connection strings (6)").click();
    await page.getByText("privateEndpoint vpce-1, SRV").waitFor();
    assert.equal(project().cluster("orders").hostName, "renamed");
  });

  it("adds a cluster, deletes clusters and projects if that is confirmed, and resets", async () => {
    // User text is neither treated as HTML nor invisible.
    const name = "<img src=x>\u202eb";
    service.simulator.addProject({ id: otherProjectId, name, organization: "acme" });
    const page = await open();
    const dialog = page.getByRole("dialog");
    const asked: string[] = [];
    page.on("dialog", (question) => {
      asked.push(question.message());
      void (asked.length === 1 ? question.dismiss() : question.accept());
    });
    const click = (label: string) => page.getByRole("button", { name: label, exact: true }).click();

    await click("Add a cluster to orders");
    await dialog.getByRole("button", { name: "Save" }).click();
    const added = page.getByRole("article", { name: "new-cluster" });
    await added.waitFor();
    await click("Delete cluster new-cluster");
    assert.equal(project().clusters.length, 2);
    await click("Delete cluster new-cluster");
    await added.waitFor({ state: "detached" });
    assert.equal(project().clusters.length, 1);

    const other = "<img src=x>\\u{202e}b";
    await click(`Delete project ${other}`);
    await page.getByText(`${other} (acme)`).waitFor({ state: "detached" });
    await click("Delete project orders");
    await page.getByRole("article", { name: "orders" }).first().waitFor({ state: "detached" });
    assert.throws(() => project(), /No project/);
    assert.equal(await page.locator("img").count(), 0);
    await click("Reset");
    await page.getByRole("article", { name: "orders", exact: true }).waitFor();
    assert.equal(asked.length, 5);
  });

  it("says when it is disconnected, and that nothing can be changed without --control", async () => {
    const own = await start(seed);
    const page = await open({}, own.url);
    await own.stop();
    await page.getByText("Disconnected; retrying").waitFor();
    await page.goto((await start(seed)).url);
    await page.getByText("Nothing can be changed here").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Edit|^Delete|^Turn/ }).count(), 0);
    assert.ok(await page.getByText("7.0.12").isVisible());
  });
});
