/** Reads what a CI system says about a job: whether its branch is that of a fork, its commit, and the address of its log. */
import * as z from "zod/mini";
import { ProviderError } from "../messages/errors";
import { readTextFile } from "../report/read/files";
import { parseJson } from "../validation/values";

/** A job of GitHub Actions, or of Gitea or Forgejo, which run the same workflows and set the same variables. */
export interface GitHubJob {
  /** The last commit of the pull request, which a reviewer sees; undefined without one */
  readonly commit: string | undefined;
  /** The address of the job's log, if it is known. */
  readonly url: string | undefined;
}

const eventSchema = z.object({
  pull_request: z.optional(
    z.object({
      head: z.optional(
        z.object({
          sha: z.optional(z.string()),
          repo: z.nullish(z.object({ full_name: z.string() })),
        }),
      ),
    }),
  ),
});

/** Returns whether a job has the commands, files and variables of GitHub Actions. */
export function isGitHubJob(environment: NodeJS.ProcessEnv): boolean {
  return environment["GITHUB_ACTIONS"] === "true";
}

/**
 * Reads the variables of a job, and the event that started it on GitHub. Returns undefined outside of GitHub Actions.
 * Throws for the branch of a fork on GitHub or GitLab, whose program could read the secrets of the job.
 */
export function readJob(environment: NodeJS.ProcessEnv): GitHubJob | undefined {
  const variable = (name: string) => environment[name] ?? "";
  if (!isGitHubJob(environment)) {
    if (isForkOnGitLab(variable)) rejectFork();
    return undefined;
  }
  const file = variable("GITHUB_EVENT_PATH");
  const event = file === "" ? {} : readEvent(file);
  const head = event.pull_request?.head;
  if (event.pull_request && isForkOnGitHub(variable, head?.repo)) rejectFork();
  return { commit: head?.sha, url: runAddress(variable) };
}

function readEvent(file: string): z.infer<typeof eventSchema> {
  return parseJson(readTextFile(file), eventSchema, "The file in GITHUB_EVENT_PATH");
}

/** Returns the value of an environment variable; empty if it is not set. */
type Variable = (name: string) => string;

/** Returns whether the branch of a pull request is in another repository. The event has null for a deleted one. */
function isForkOnGitHub(
  variable: Variable,
  repository: { readonly full_name: string } | null | undefined,
): boolean {
  if (repository !== undefined) return repository?.full_name !== variable("GITHUB_REPOSITORY");
  // The program act runs workflows on a user's machine, by default with an event that has no repository.
  if (variable("ACT") === "true") return false;
  throw new ProviderError(
    "GITHUB_EVENT_PATH does not say whether the branch is that of a fork, because the event has no pull_request.head.repo.",
  );
}

/** Returns whether the pipeline of a merge request runs in another project than that of its branch. */
function isForkOnGitLab(variable: Variable): boolean {
  const source = variable("CI_MERGE_REQUEST_SOURCE_PROJECT_ID");
  return source !== "" && source !== variable("CI_PROJECT_ID");
}

function rejectFork(): never {
  throw new ProviderError(
    "branches of forks are not previewed, because a Pulumi program can read the secrets of its job. Push the branch to this repository.",
  );
}

/** Returns the address of a run of a workflow, as far as the variables say it. */
function runAddress(variable: Variable): string | undefined {
  const server = variable("GITHUB_SERVER_URL").replace(/\/$/, "");
  const runs = `${server}/${variable("GITHUB_REPOSITORY")}/actions/runs`;
  // Forgejo sets the variable of Gitea, too.
  if (variable("FORGEJO_ACTIONS") === "true") return `${runs}/${variable("GITHUB_RUN_NUMBER")}`;
  // Gitea's address has the number or the ID of the run, according to the version, and either may lead to another run.
  if (variable("GITEA_ACTIONS") === "true") return undefined;
  return `${runs}/${variable("GITHUB_RUN_ID")}/attempts/${variable("GITHUB_RUN_ATTEMPT") || "1"}`;
}
