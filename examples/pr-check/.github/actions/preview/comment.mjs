// Writes the report as a comment on the pull request. Each stack has one comment, which later commits update: a
// hidden marker names the project and the stack.
import { existsSync, readFileSync } from "node:fs";

const { AUTHOR, COMMIT, GH_TOKEN, PULL_REQUEST, REPORT, TITLE } = process.env;
const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_SERVER_URL } = process.env;

const issues = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues`;
const marker = `<!-- pulumi-clouddb preview: ${encodeURIComponent(TITLE ?? "")} -->`;
const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
const report =
  REPORT && existsSync(REPORT)
    ? readFileSync(REPORT, "utf8")
    : "### failed\n\nThe preview did not run: see the log of the job.\n";
const body = `${marker}\n${report}\n<sub>${COMMIT} · [job](${run})</sub>\n`;

const previous = await findComment();
if (previous === undefined) await request("POST", `${issues}/${PULL_REQUEST}/comments`, { body });
else await request("PATCH", `${issues}/comments/${previous.id}`, { body });

/** Returns the comment of this stack. Others could have copied the marker. */
async function findComment() {
  for (let page = 1; ; page++) {
    const url = `${issues}/${PULL_REQUEST}/comments?per_page=100&page=${page}`;
    const comments = await request("GET", url);
    const found = comments.find(
      (comment) => comment.user?.login === AUTHOR && comment.body?.startsWith(marker),
    );
    if (found !== undefined || comments.length < 100) return found;
  }
}

/** Sends a request to GitHub, again if GitHub is unavailable. */
async function request(method, url, content, attempts = 3) {
  const sending = fetch(url, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${GH_TOKEN}`,
      "user-agent": "pulumi-clouddb-pr-check",
      "x-github-api-version": "2022-11-28",
    },
    body: content && JSON.stringify(content),
    signal: AbortSignal.timeout(30_000),
  });
  // Without a response, such as after a timeout, the status is 0.
  const { status, result, problem } = await sending
    .then(async (response) => ({
      status: response.status,
      result: response.ok ? await response.json() : undefined,
      problem: `GitHub answered ${method} with ${response.status}.`,
    }))
    .catch((error) => ({
      status: 0,
      problem: `No response from GitHub to ${method} (${error.cause?.code ?? error.name}).`,
    }));
  if (result !== undefined) return result;
  if ((status === 0 || status >= 500) && method !== "POST" && attempts > 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return request(method, url, content, attempts - 1);
  }
  const advice =
    status === 403 || status === 404
      ? " The job may need the permission pull-requests: write."
      : "";
  console.log(`::error title=Comment::${problem}${advice}`);
  process.exit(1);
}
