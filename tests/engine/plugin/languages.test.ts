/** The quickstart with the packed plugin, in each language whose host is available. */
import assert from "node:assert/strict";
import { cpSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { packedPlugin } from "../../lifecycles/packedPlugin";
import { skipIfMissing } from "../../support/missing";
import { key, settingsFor } from "../../support/service";
import { pluginSettings, useStack } from "../useStack";
import { generateSdks, goEnvironment, pathWithHost, sdkEnvironment } from "./sdks";

interface Language {
  readonly name: string;
  readonly example: string;
  readonly program: string;
  /** Builds or installs the requirements of the language. Returns environment variables. */
  readonly install: () => Record<string, string>;
  /** Completes the copy of the example, as its README says. */
  readonly prepare?: (folder: string) => void;
  /** Replacements in the program, which restore the mode on delete and add credentials. */
  readonly edits: readonly (readonly [string | RegExp, string])[];
  /** How many resources the program has, with the stack. */
  readonly resources: number;
}

const password = "p@ss";
const encoded = "p%40ss";

const languages: Language[] = [
  {
    name: "TypeScript",
    example: "quickstart",
    program: "index.ts",
    install: () => {
      generateSdks();
      return {};
    },
    prepare: (folder) => {
      const sdk = JSON.stringify(join(generateSdks(), "nodejs", "bin"));
      edit(join(folder, "index.ts"), ['"pulumi-clouddb"', sdk]);
      const project = `name: clouddb-typescript\nruntime: nodejs\n${pluginSettings()}`;
      writeFileSync(join(folder, "Pulumi.yaml"), project);
    },
    edits: [
      [
        /$/,
        `
const provider = new clouddb.Provider("explicit", {
  publicKey: "${key.publicKey}", privateKey: "${key.privateKey}", requestTimeoutSeconds: 20,
});
const options = { provider };
const called = { projectId, clusterName: "orders" };
export const kind = clouddb.getConnectionStringsOutput(called, options).recommendedKind;
export const full = new clouddb.DatabaseUrl("orders", {
  connectionString: orders.recommended, username: "app", password: "${password}",
}, options).url;
`,
      ],
    ],
    resources: 8,
  },
  {
    name: "Python",
    example: "python",
    program: "__main__.py",
    install: () => ({
      PATH: `${join(sdkEnvironment(), "bin")}${delimiter}${pathWithHost("python")}`,
    }),
    prepare: (folder) => {
      symlinkSync(sdkEnvironment(), join(folder, "venv"));
    },
    edits: [
      [
        /$/,
        `
called = clouddb.get_connection_strings_output(project_id=project_id, cluster_name="orders")
pulumi.export("kind", called.recommended_kind)
full = clouddb.DatabaseUrl(
    "orders", connection_string=orders.recommended, username="app", password="${password}"
)
pulumi.export("full", full.url)
`,
      ],
    ],
    resources: 7,
  },
  {
    name: "Go",
    example: "go",
    program: "main.go",
    install: () => ({
      PATH: pathWithHost("go"),
      ...goEnvironment,
    }),
    prepare: (folder) => {
      cpSync(join(generateSdks(), "go"), join(folder, "sdks", "clouddb"), { recursive: true });
    },
    edits: [
      [
        "return nil\n",
        `called := clouddb.GetConnectionStringsOutput(ctx, clouddb.GetConnectionStringsOutputArgs{
			ProjectId:   projectID,
			ClusterName: pulumi.String("orders"),
		})
		ctx.Export("kind", called.RecommendedKind())
		full, err := clouddb.NewDatabaseUrl(ctx, "orders", &clouddb.DatabaseUrlArgs{
			ConnectionString: orders.Recommended,
			Username:         pulumi.String("app"),
			Password:         pulumi.String("${password}"),
		})
		if err != nil {
			return err
		}
		ctx.Export("full", full.Url)
		return nil
`,
      ],
    ],
    resources: 7,
  },
  {
    name: "YAML",
    example: "yaml",
    program: "Pulumi.yaml",
    install: () => ({ PATH: pathWithHost("yaml") }),
    edits: [
      [
        "\nresources:\n",
        `
resources:
  full:
    type: clouddb:DatabaseUrl
    properties:
      connectionString: \${orders.recommended}
      username: app
      password: "${password}"

`,
      ],
      [
        /$/,
        `  kind:
    fn::invoke:
      function: clouddb:getConnectionStrings
      arguments: { projectId: "\${projectId}", clusterName: orders }
      return: recommendedKind
  full: \${full.url}
`,
      ],
    ],
    resources: 7,
  },
];

for (const language of languages) {
  describe(`the quickstart in ${language.name}`, () => {
    const { service, createExample } = useStack();
    const installed: Record<string, string> = {};

    before(`install what ${language.name} needs`, function () {
      this.timeout(1_200_000);
      try {
        Object.assign(installed, language.install());
      } catch (error) {
        skipIfMissing(this, error);
      }
    });

    it("previews, deploys, and is destroyed", async () => {
      const tested = await createExample(language.example, {
        environment: { ...settingsFor(service), ...installed },
        prepare(copy) {
          language.prepare?.(copy);
          edit(join(copy, "Pulumi.yaml"), ["../../plugin", packedPlugin()]);
          for (const replacement of language.edits) edit(join(copy, language.program), replacement);
        },
      });
      const { stack, folder } = tested;

      const preview = await stack.preview();
      assert.match(preview.stdout, /ordersFromPeeredNetwork *: "db\+srv:\/\/orders-pri\./);
      assert.match(preview.stdout, /full *: \[secret\]/);
      assert.deepEqual(preview.changeSummary, { create: language.resources });

      const { outputs, summary, stdout } = await stack.up();
      assert.deepEqual(summary.resourceChanges, { create: language.resources });
      assert.match(String(outputs["billingLegacy"]?.value), /^db\+srv:\/\/billing-/);
      assert.deepEqual(outputs["kind"], { value: "standardSrv", secret: false });
      const { full } = outputs;
      assert.match(String(full?.value), new RegExp(`^db\\+srv://app:${encoded}@orders-pri\\.`));
      assert.ok(full?.secret);
      assert.equal(service.project().privateIpMode.enabled, false);
      const base64 = Buffer.from(password).toString("base64");
      const texts = [preview.stdout, stdout, ...filesIn(join(folder, "backend"))];
      for (const secret of [password, encoded, base64, key.privateKey]) {
        for (const text of texts) assert.ok(!text.includes(secret), `${secret} in ${text}`);
      }

      await stack.destroy();
      assert.equal(service.project().privateIpMode.enabled, false);
    });
  });
}

function edit(file: string, [text, replacement]: readonly [string | RegExp, string]): void {
  writeFileSync(file, readFileSync(file, "utf8").replace(text, replacement));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => readFileSync(join(parentPath, name), "utf8"));
}
