/**
 * Writes the fleet as Stack resources of the Pulumi Kubernetes Operator, one document for each stack. The
 * operator runs index.ts for each of them.
 */
import { stringify } from "yaml";
import { z } from "zod";
import type { Fleet, FleetStack } from "./stackList";

const secretReference = z.strictObject({ name: z.string(), key: z.string() });

/** The format of operator.json: what all stacks of a cluster have in common. */
export const operatorSchema = z.strictObject({
  namespace: z.string(),
  /** The service account of the workspaces. */
  serviceAccountName: z.string(),
  /** The Git repository with this folder. */
  repository: z.strictObject({ url: z.url(), branch: z.string(), folder: z.string() }),
  /** The state backend, without a password. */
  backend: z.string().refine((url) => !/:\/\/[^/@]*:[^/@]*@/.test(url), "contains a password"),
  /** The image of the workspaces, which has Node.js and the Pulumi CLI. */
  image: z.string(),
  /** How often each stack is compared with the service. */
  resyncFrequencySeconds: z.int().min(60).default(3600),
  /** Plain environment variables, such as CLOUDDB_BASE_URL. */
  variables: z.record(z.string(), z.string()).default({}),
  /** Environment variables from Kubernetes Secrets, such as CLOUDDB_PRIVATE_KEY. */
  secretVariables: z.record(z.string(), secretReference).default({}),
});

/** What all stacks of a cluster have in common. */
export type OperatorSettings = z.infer<typeof operatorSchema>;

/** Returns the Stack resources of a fleet, as YAML documents. */
export function writeStackResources(fleet: Fleet, settings: OperatorSettings): string {
  return fleet.stacks
    .map((stack) => stringify(stackResource(fleet, stack, settings)))
    .join("---\n");
}

function stackResource(fleet: Fleet, stack: FleetStack, settings: OperatorSettings) {
  const { namespace, serviceAccountName, repository, backend, image } = settings;
  const previous = previousOfProject(fleet, stack);
  return {
    apiVersion: "pulumi.com/v1",
    kind: "Stack",
    metadata: { name: resourceName(stack.name), namespace },
    spec: {
      // Backends other than Pulumi Cloud have one organization, which is called organization.
      stack: `organization/clouddb-fleet/${stack.name}`,
      serviceAccountName,
      projectRepo: repository.url,
      branch: repository.branch,
      repoDir: repository.folder,
      backend,
      envRefs: environment(fleet, settings),
      refresh: true,
      continueResyncOnCommitMatch: true,
      resyncFrequencySeconds: settings.resyncFrequencySeconds,
      // The stacks of a project are deployed one after the other, to stay within its limit.
      ...(previous && { prerequisites: [{ name: resourceName(previous.name) }] }),
      workspaceTemplate: { spec: { image, serviceAccountName } },
    },
  };
}

/** A variable of the operator's workspaces: a value, or a reference to a Secret. */
type EnvironmentReference =
  | { readonly type: "Literal"; readonly literal: { readonly value: string } }
  | { readonly type: "Secret"; readonly secret: z.infer<typeof secretReference> };

function environment(
  fleet: Fleet,
  { variables, secretVariables }: OperatorSettings,
): Record<string, EnvironmentReference> {
  const plain = {
    PULUMI_SKIP_UPDATE_CHECK: "1",
    CLOUDDB_REQUESTS_PER_MINUTE: String(fleet.requestsPerStack),
    ...variables,
  };
  const references: Record<string, EnvironmentReference> = {};
  for (const [name, value] of Object.entries(plain)) {
    references[name] = { type: "Literal", literal: { value } };
  }
  for (const [name, secret] of Object.entries(secretVariables)) {
    references[name] = { type: "Secret", secret };
  }
  return references;
}

function previousOfProject({ stacks }: Fleet, stack: FleetStack): FleetStack | undefined {
  const ofProject = stacks.filter(({ projectId }) => projectId === stack.projectId);
  return ofProject[ofProject.indexOf(stack) - 1];
}

/** Kubernetes names are lower case, do not contain `_`, and do not end with `.` or `-`. */
function resourceName(stack: string): string {
  return stack
    .toLowerCase()
    .replaceAll("_", "-")
    .replace(/[.-]+$/, "");
}
