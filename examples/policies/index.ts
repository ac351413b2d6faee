import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PolicyPack, type ReportViolation, type StackValidationArgs } from "@pulumi/policy";

/** The stacks whose applications must not connect over the Internet. */
const productionStacks = ["prod", "production"];

new PolicyPack("clouddb", {
  enforcementLevel: "mandatory",
  policies: [
    {
      name: "private-network-in-production",
      description: "Production stacks look up strings of a peered network or a private endpoint.",
      validateResource: ({ type, urn, props }, report) => {
        if (!isResource(type, "ClusterConnectionStrings")) return;
        if (!productionStacks.includes(stackOf(urn))) return;
        const kind = property(props.network, "kind") ?? "internet";
        if (kind === "peering" || kind === "privateEndpoint") return;
        report(
          `The network of ${props.clusterName} is not private; set peering or privateEndpoint.`,
        );
      },
    },
    {
      name: "readiness-before-disabling",
      description: "Disabling private IP mode needs a readiness report of the same pull request.",
      validateResource: ({ type, props }, report) => {
        if (!isResource(type, "PrivateIpMode") || props.enabled !== false) return;
        const problem = readinessProblem(String(props.projectId));
        if (problem !== undefined) report(problem);
      },
    },
    {
      name: "no-credentials-in-outputs",
      description:
        "Stack outputs contain no connection strings with credentials, unless they are listed.",
      configSchema: {
        properties: {
          // Policies receive secrets in plain text, and cannot tell whether an output is a secret.
          secretOutputs: { type: "array", items: { type: "string" }, default: [] },
        },
      },
      validateStack: noCredentialsInOutputs,
    },
  ],
});

function noCredentialsInOutputs(args: StackValidationArgs, report: ReportViolation): void {
  const { secretOutputs } = args.getConfig<{ secretOutputs: string[] }>();
  for (const { type, urn, props } of args.resources) {
    if (type !== "pulumi:pulumi:Stack") continue;
    for (const [name, value] of Object.entries(props)) {
      if (secretOutputs.includes(name) || !containsCredentials(value)) continue;
      report(
        `The output ${name} contains a connection string with credentials. Pass the string to the ` +
          "resource that needs it, or mark the output as a secret and list it in secretOutputs.",
        urn,
      );
    }
  }
}

/** Returns what is wrong with the readiness report that this CI run wrote for a project. */
function readinessProblem(projectId: string): string | undefined {
  // The ID becomes part of a path and of a command.
  if (!/^[\w.~-]+$/.test(projectId)) {
    return "The project ID is not valid: it may only contain letters, digits and the characters . _ ~ -";
  }
  const file = join(process.env.READINESS_FOLDER ?? ".", `readiness-${projectId}.json`);
  const command = `npx pulumi-clouddb readiness --project ${projectId} --json > ${file}`;
  try {
    const report: unknown = JSON.parse(readFileSync(file, "utf8"));
    const isReady = property(report, "ready") === true;
    if (isReady && property(report, "projectId") === projectId) return undefined;
    return `${file} does not say that private IP mode of project ${projectId} can be disabled.`;
  } catch {
    return `There is no readiness report of project ${projectId}. Run ${command}`;
  }
}

function property(value: unknown, name: string): unknown {
  return value instanceof Object
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** Whether a resource has a type of pulumi-clouddb, or the same type of its plugin. */
function isResource(type: string, name: string): boolean {
  return type === `pulumi-nodejs:dynamic/clouddb:${name}` || type === `clouddb:index:${name}`;
}

/** The stack in a URN: `urn:pulumi:<stack>::<project>::<type>::<name>`. */
function stackOf(urn: string): string {
  return urn.split("::")[0]?.replace("urn:pulumi:", "") ?? "";
}

function containsCredentials(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(containsCredentials);
  if (typeof value === "object" && value !== null) return containsCredentials(Object.values(value));
  // A string may be part of a text, and its password may not be percent-encoded.
  return typeof value === "string" && /(?<!\bhttps?):\/\/[^\s:/?#@]+:[^\s@"']*@/i.test(value);
}
