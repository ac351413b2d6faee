import assert from "node:assert/strict";
import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { type ServiceSettings, useOwnServices, useService } from "../../support/service";
import { useStatusPage } from "./browser";
import { settingReaders } from "../../../provider/src/settings/settings";
import type { Seed } from "../../../simulator/src";
import { quoteForShell } from "../../../simulator/src/errors";
import { type Service, apiPath, call, json, send } from "./client";
import { credentialsSeed, seedOf, shardedCluster } from "./seeds";

interface PageData {
  credentials: { settings: { label: string; value: string }[]; configCommands: string[] }[];
}

describe("the status page", () => {
  const service = useService(seedOf([{ name: "orders", version: "7.0.12" }]));
  const start = useOwnServices();
  const data = async (of: Service) => json<PageData>(await send(of, "/page.json"));

  it("serves its files without credentials", async () => {
    for (const [path, type] of [
      ["/", "text/html"],
      ["/page/page.js", "text/javascript"],
      ["/page/page.css", "text/css"],
      ["/page.json", "application/json"],
    ] as const) {
      const response = await send(service, path);
      assert.equal(response.status, 200);
      assert.ok(String(response.headers["content-type"]).startsWith(type));
      assert.match(String(response.headers["content-security-policy"]), /default-src 'none'/);
    }
    assert.equal(service.requests.length, 0);
  });

  it("returns the service account and the API key of the first owner, and no other secret", async () => {
    const own = await start(credentialsSeed, { control: true });
    const { credentials } = await data(own);
    assert.deepEqual(
      credentials.map(({ settings }) => settings),
      [
        [
          { label: "Client ID", value: "svc_demo" },
          { label: "Client secret", value: "svc secret:100%/+" },
        ],
        [
          { label: "Public key", value: "demo" },
          { label: "Private key", value: "demo-secret" },
        ],
      ],
    );
    const { text } = await send(own, "/page.json");
    const others = text.replaceAll(/demo-secret|svc secret|client secret/gi, "");
    assert.doesNotMatch(others, /secret(?! clouddb:(privateKey|clientSecret))/);
  });

  it("returns no credential that owns nothing if the organization has an owner of the other kind", async () => {
    const apiKeys = [{ publicKey: "k", privateKey: "s", roles: [{ role: "owner" as const }] }];
    const serviceAccounts = [{ clientId: "reader", clientSecret: "r", roles: [] }];
    const own = await start({ organizations: [{ name: "a", apiKeys, serviceAccounts }] });
    const { credentials } = await data(own);
    assert.deepEqual(
      credentials.map(({ settings }) => settings[0]),
      [{ label: "Public key", value: "k" }],
    );
  });

  it("returns the commands that make a stack use the simulator, for each kind of credential, which set only changed settings", async () => {
    const serviceAccounts = [{ clientId: "svc", clientSecret: "it's $1" }];
    const apiKeys = [{ publicKey: "demo", privateKey: "demo-secret" }];
    const ofAccount = ["clientId svc", "--secret clouddb:clientSecret 'it'\\''s $1'"];
    const ofKey = ["publicKey demo", "--secret clouddb:privateKey demo-secret"];
    const cases: [Seed, ServiceSettings, string[][]][] = [
      [seedOf([]), { profile: "atlas" }, [["caFile ca.pem", ...ofKey, "profile atlas"]]],
      [
        { organizations: [{ name: "a", serviceAccounts }] },
        { apiPath: "/api/x", tokenPath: "/t", fieldPrefix: "x" },
        [["caFile ca.pem", ...ofAccount, "apiPath /api/x", "tokenPath /t", "fieldPrefix x"]],
      ],
      [
        { organizations: [{ name: "a", serviceAccounts, apiKeys }] },
        {},
        [
          ["caFile ca.pem", ...ofAccount],
          ["caFile ca.pem", ...ofKey],
        ],
      ],
      [{}, {}, [["caFile ca.pem"]]],
    ];
    for (const [seed, settings, expected] of cases) {
      const own = await start(seed, settings);
      const { credentials } = await data(own);
      const commands = credentials.map(({ configCommands }) => configCommands);
      assert.deepEqual(
        commands,
        expected.map((lines) =>
          [`baseUrl ${own.url}`, ...lines].map((setting) =>
            setting.startsWith("--")
              ? `pulumi config set ${setting}`
              : `pulumi config set clouddb:${setting}`,
          ),
        ),
      );
      for (const name of commands
        .flat()
        .map((command) => /clouddb:(?<name>\w+)/.exec(command)?.[1] ?? "")) {
        assert.ok(name in settingReaders, name);
      }
    }
  });

  it("quotes a path in commands such that cmd and PowerShell accept it", () => {
    assert.equal(quoteForShell("C:\\My Files\\ca.pem"), '"C:\\My Files\\ca.pem"');
  });

  it("returns the requests without those that received a challenge", async () => {
    await call(service, "");
    const { requests } = json<{ requests: { status: number; path: string }[] }>(
      await send(service, "/page.json"),
    );
    assert.deepEqual(
      requests.map(({ status, path }) => [status, path]),
      [[200, apiPath]],
    );
  });

  it("rejects other host names, so that no website can read it", async () => {
    for (const path of ["/", "/page.json"]) {
      const response = await send(service, path, { headers: { host: "evil.example" } });
      assert.equal(response.status, 403);
    }
  });
});

describe("the status page in every color scheme and width", function () {
  this.timeout(60_000);
  const service = useService(
    seedOf(
      [
        { name: `c${"long".repeat(15)}`, version: "6.0.5", peering: true },
        { ...shardedCluster, createdAt: "2019-01-01", state: "UPDATING" },
      ],
      { privateIpMode: { enabled: true }, name: "w".repeat(64) },
    ),
    { control: true },
  );
  const open = useStatusPage(service);

  /** Sends requests with every kind of outcome, waits until the page displays them, and unfolds everything. */
  async function showEverything(page: Page): Promise<void> {
    const { faults } = service;
    faults.push({ status: 503, times: 1 }, { reset: "after", withCredentials: true });
    await send(service, apiPath);
    await call(service, "").catch(() => undefined);
    await call(service, "");
    await call(service, `/groups/${"f".repeat(64)}/clusters`);
    await page.locator("#requests li").nth(3).waitFor();
    for (const summary of await page.locator("summary").all()) await summary.click();
  }

  for (const [colorScheme, width] of [
    ["light", 360],
    ["dark", 2560],
  ] as const) {
    it(`passes axe-core and does not scroll horizontally, ${colorScheme} at ${width} px`, async () => {
      const page = await open({ colorScheme, viewport: { width, height: 800 } });
      await showEverything(page);
      assert.deepEqual(await violations(page), []);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
      await page
        .getByRole("button", { name: /^Edit cluster/ })
        .first()
        .click();
      await page.getByRole("textbox").fill("{");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The text is not JSON").waitFor();
      assert.deepEqual(await violations(page), []);
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
