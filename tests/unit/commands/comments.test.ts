import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mock } from "node:test";
import { Agent } from "undici";
import { writeComment } from "../../../provider/src/commands/comment";
import { jobIn } from "../../../provider/src/commands/job";
import { type Cleanup, temporaryFolder, useCleanup } from "../../support/cleanup";
import { startProxy, withoutProxy } from "../../support/proxy";
import { type ReviewHost, startReviewHost } from "../../support/reviewHost";

const commit = "2".repeat(40);

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

/** GitHub's headers when no request is left until a time, in seconds since 1970. */
function exhausted(seconds: number) {
  const reset = Math.round(Date.now() / 1000) + seconds;
  return { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) };
}

const head = { sha: commit, repo: { full_name: "acme/infra" } };

/** Writes the event of a job of GitHub. Default: a commit of pull request 7 */
function eventFile(cleanup: Cleanup, event: object = { pull_request: { number: 7, head } }) {
  const file = join(temporaryFolder(cleanup), "event.json");
  writeFileSync(file, JSON.stringify(event));
  return file;
}

const forges = {
  GitHub: { variables: "github", user: "github-actions[bot]" },
  GitLab: { variables: "gitlab", user: "previews" },
  Gitea: { variables: "gitea", user: "gitea-actions" },
  Forgejo: { variables: "forgejo", user: "forgejo-actions" },
} as const;

for (const [forge, { variables, user }] of Object.entries(forges)) {
  describe(`comments on ${forge}`, () => {
    const cleanup = useCleanup("test");
    const isGitLab = forge === "GitLab";
    const address = isGitLab ? "CI_API_V4_URL" : "GITHUB_API_URL";
    let host: ReviewHost;

    beforeEach(async () => {
      host = await startReviewHost(cleanup);
      host.commit = commit;
      host.user = user;
    });
    afterEach(() => {
      mock.restoreAll();
    });

    /** The job of a pull request, or one that another event started. */
    async function job(environment: Readonly<Record<string, string>> = {}, number?: string) {
      const own = isGitLab
        ? { CI_COMMIT_SHA: commit }
        : { GITHUB_EVENT_PATH: eventFile(cleanup, number === undefined ? undefined : {}) };
      const found = await jobIn({ ...host[variables], ...own, ...environment }, number);
      assert.equal(found?.system, isGitLab ? "GitLab" : "GitHub");
      return found;
    }

    /** Writes the comment of a stack. */
    async function write(
      stack: string,
      outcome: string,
      environment: Readonly<Record<string, string>> = {},
    ) {
      const { comments } = (await job(environment)).pullRequest ?? {};
      assert.ok(comments?.kind === "writable");
      const markdown = `### \`infra/${stack}\`: ${outcome}\n`;
      const isNew = outcome !== "unchanged";
      await writeComment(comments, { title: `infra/${stack}`, markdown, isNew });
    }
    const bodies = () => host.comments.map(({ body }) => body.replaceAll(/<!--.*-->\r?\n/g, ""));

    it("updates the comment of a stack", async () => {
      await write("a", "changed");
      await write("b", "failed");
      await write("a", "unchanged");
      assert.deepEqual(bodies(), ["### `infra/a`: unchanged\n", "### `infra/b`: failed\n"]);
      assert.match(
        host.comments[0]?.body ?? "",
        /^<!-- pulumi-clouddb preview: infra%2Fa -->\n###/,
      );
    });

    it("creates no comment for a stack without changes", async () => {
      await write("a", "unchanged");
      assert.deepEqual(host.comments, []);
    });

    it("finds its comment on a later page, but no other user's comment with the same marker", async () => {
      await write("a", "changed");
      const marker = host.comments.pop()?.body ?? "";
      for (let id = 1; id <= 120; id++) {
        host.comments.push({
          id,
          author: id === 7 ? "mallory" : user,
          body: id === 7 ? marker : "coverage: 90 %",
        });
      }
      const foreign = structuredClone(host.comments);
      await write("a", "changed");
      await write("a", "unchanged");
      assert.deepEqual(host.comments.slice(0, 120), foreign);
      assert.match(host.comments[120]?.body ?? "", /unchanged/);
      assert.equal(host.comments.length, 121);
    });

    it("finds its comment after somebody edited it in a browser, which writes CRLF", async () => {
      await write("a", "changed");
      const [comment] = host.comments;
      assert.ok(comment !== undefined);
      comment.body = comment.body.replaceAll("\n", "\r\n");
      await write("a", "refused");
      assert.deepEqual(bodies(), ["### `infra/a`: refused\n"]);
    });

    it("searches at most 50 pages", async () => {
      host.maxPageLength = 50;
      for (let id = 1; id <= 5100; id++) host.comments.push({ id, author: user, body: "x" });
      await write("a", "changed");
      assert.equal(pagesRead(host), 50);
      assert.equal(host.comments.length, 5101);
    });

    it("creates the comment again if somebody deleted it in the meantime", async () => {
      await write("a", "changed");
      host.intercept = (request) => {
        if (/^(PATCH|PUT)/.test(request)) host.comments.length = 0;
        return undefined;
      };
      await write("a", "unchanged");
      assert.deepEqual(bodies(), ["### `infra/a`: unchanged\n"]);
    });

    it("succeeds if the answer to a new or updated comment is empty", async () => {
      const change = (request: string) => /^(POST|PATCH|PUT)/.exec(request)?.[1];
      const statuses = new Map([
        ["POST", 201],
        ["PATCH", 204],
        ["PUT", 204],
      ]);
      host.intercept = (request) => {
        const status = statuses.get(change(request) ?? "");
        return status === undefined ? undefined : { status };
      };
      await write("a", "changed");
      const marker = "<!-- pulumi-clouddb preview: infra%2Fa -->";
      host.comments.push({ id: 1, author: user, body: marker });
      await write("a", "changed");
      assert.deepEqual(host.requests.map(change).filter(Boolean), [
        "POST",
        isGitLab ? "PUT" : "PATCH",
      ]);
    });

    it("waits once as long as the server asks, but repeats no other request", async () => {
      const refuseOnce = (status: number, headers: Record<string, string>) => {
        const refused = new Set<string>();
        host.intercept = (request) => {
          if (refused.has(request)) return undefined;
          refused.add(request);
          return { status, headers };
        };
      };
      refuseOnce(403, { "retry-after": "0" });
      await write("a", "changed");
      assert.equal(host.comments.length, 1);
      for (const status of [403, 502]) {
        refuseOnce(status, {});
        await assert.rejects(write("b", "changed"), new RegExp(`answered GET with ${status}\\.`));
      }
    });

    for (const [title, status, headers, time] of [
      ["a 403 with a long Retry-After", 403, { "retry-after": "3600" }, "in 3600 s"],
      ["a 403 without remaining requests", 403, exhausted(3600), "in 3[56]\\d\\d s"],
      ["a 429 with a distant date", 429, { "retry-after": inSeconds(7200) }, "in 7[12]\\d\\d s"],
      ["a second 403", 403, { "retry-after": "0" }, "in 1 s"],
      [
        "a 403 without remaining requests or a time",
        403,
        { "x-ratelimit-remaining": "0" },
        "later",
      ],
      ["a 403 with an empty time", 403, { ...exhausted(0), "x-ratelimit-reset": "" }, "later"],
      ["a 403 with another Retry-After", 403, { "retry-after": "soon" }, "later"],
      ["a 429 without a time", 429, {}, "later"],
    ] as const) {
      it(`says when to retry after ${title}, instead of what the token needs`, async () => {
        host.intercept = () => ({ status, headers });
        const message = `answered GET with ${status}\\. It limits requests; run the job again ${time}\\.$`;
        await assert.rejects(write("a", "changed"), new RegExp(message));
      });
    }

    it("names the variable of an invalid token, but not the token", async () => {
      const token = { GITHUB_TOKEN: "secret\n", GITLAB_TOKEN: "secret\n" };
      const message =
        /^ProviderError: [A-Z]+_TOKEN contains white space or another invalid character\.$/;
      await assert.rejects(job(token), message);
    });

    it("fails without the address of the API", async () => {
      const environment = { GITHUB_API_URL: "", CI_API_V4_URL: "localhost:80" };
      await assert.rejects(
        write("a", "changed", environment),
        new RegExp(`^ProviderError: ${address} is not the URL of ${forge}\\.$`),
      );
    });

    it("tunnels requests to a server without TLS through the proxy in HTTP_PROXY, but not in HTTPS_PROXY", async () => {
      const proxy = await startProxy();
      cleanup(() => {
        proxy.stop();
      });
      const environment = process.env;
      try {
        process.env = { ...withoutProxy(environment), HTTPS_PROXY: "http://127.0.0.1:1" };
        await write("a", "changed");
        process.env["HTTP_PROXY"] = proxy.url;
        await write("b", "changed");
      } finally {
        process.env = environment;
      }
      assert.deepEqual(bodies(), ["### `infra/a`: changed\n", "### `infra/b`: changed\n"]);
      assert.deepEqual([...new Set(proxy.tunnels)], [new URL(host.url).host]);
    });

    for (const [code, message] of [
      ["SELF_SIGNED_CERT_IN_CHAIN", /is not trusted .* set NODE_EXTRA_CA_CERTS to /],
      [
        "ERR_TLS_CERT_ALTNAME_INVALID",
        new RegExp(`is for another host name\\. Check ${address}\\.`),
      ],
      [
        "UND_ERR_HEADERS_TIMEOUT",
        /no response from http:\S+ within 30 s\. Try again\. \(GET \S+\)$/,
      ],
    ] as const) {
      it(`names variables of the job after ${code}, and no setting of the provider`, async () => {
        const error = Object.assign(new Error("failed"), { code });
        mock.method(Agent.prototype, "request", () => Promise.reject(error));
        await assert.rejects(write("a", "changed"), ({ message: text }: Error) => {
          assert.match(text, message);
          return text.startsWith(`${forge} did not answer: `) && !text.includes("clouddb:");
        });
      });
    }

    it("does not blame the server for a programming error", async () => {
      const bug = new TypeError("x is not a function");
      mock.method(Agent.prototype, "request", () => Promise.reject(bug));
      await assert.rejects(write("a", "changed"), bug);
    });

    it("says what the token needs, without the token", async () => {
      const variable = isGitLab ? "GITLAB_TOKEN" : "GITHUB_TOKEN";
      assert.deepEqual((await job({ [variable]: "" })).pullRequest?.comments, {
        kind: "none",
        reason: `${variable} is not set`,
      });
      const foreign = write("a", "changed", { [variable]: "token-of-a-fork" });
      await assert.rejects(foreign, ({ message }: Error) => {
        const needs = `${variable} needs the (permission|scope)`;
        assert.match(message, new RegExp(`^${forge} answered GET with 401\\. ${needs}`));
        return !message.includes("token-of-a-fork");
      });
    });

    it("comments on the pull request of another event, and finds out whether it is a fork's", async () => {
      const environment: Readonly<Record<string, string>> = isGitLab
        ? { CI_MERGE_REQUEST_IID: "", CI_MERGE_REQUEST_PROJECT_ID: "", CI_PROJECT_ID: "5" }
        : {};
      const own = (await job(environment, "7")).pullRequest;
      assert.deepEqual([own?.commit, own?.isFork], [commit, false]);
      host.isFork = true;
      assert.equal((await job(environment, "7")).pullRequest?.isFork, true);
      const token = { GITHUB_TOKEN: "", GITLAB_TOKEN: "" };
      await assert.rejects(job({ ...environment, ...token }, "7"), /--pull-request needs a token/);
    });
  });
}

/** How many pages of comments were read. */
function pagesRead(host: ReviewHost): number {
  return host.requests.filter((each) => /^GET .*(comments|notes)$/.test(each)).length;
}

for (const variables of ["gitea", "forgejo"] as const) {
  describe(`a comment on ${variables} among many`, () => {
    const cleanup = useCleanup("test");

    /** Writes a comment twice, after 70 others. */
    async function writeTwice(maxPageLength: number | undefined): Promise<ReviewHost> {
      const host = await startReviewHost(cleanup);
      host.user = `${variables}-actions`;
      host.maxPageLength = maxPageLength;
      for (let id = 1; id <= 70; id++) host.comments.push({ id, author: "dana", body: "x" });
      const environment = { ...host[variables], GITHUB_EVENT_PATH: eventFile(cleanup) };
      for (const markdown of ["first", "second"]) {
        const { comments } = (await jobIn(environment))?.pullRequest ?? {};
        assert.ok(comments?.kind === "writable");
        await writeComment(comments, { title: "a", markdown, isNew: true });
      }
      assert.equal(host.comments.length, 71);
      assert.match(host.comments[70]?.body ?? "", /\nsecond$/);
      return host;
    }

    it("is found on a later page, even if the pages are shorter than requested", async () => {
      assert.equal(pagesRead(await writeTwice(30)), 4 + 3);
    });

    it("is found if every page has all comments, as in releases", async () => {
      assert.equal(pagesRead(await writeTwice(undefined)), 2 + 1);
    });
  });
}

describe("a comment of another user with the marker", () => {
  const cleanup = useCleanup("test");

  for (const author of ["gitea-actions", "forgejo-actions", "dana"]) {
    it(`stays as it is on GitHub, even if the user is called ${author}`, async () => {
      const host = await startReviewHost(cleanup);
      const body = "<!-- pulumi-clouddb preview: a -->\nold";
      host.comments.push({ id: 1, author, body });
      const environment = { ...host.github, GITHUB_EVENT_PATH: eventFile(cleanup) };
      const { comments } = (await jobIn(environment))?.pullRequest ?? {};
      assert.ok(comments?.kind === "writable");
      await writeComment(comments, { title: "a", markdown: "new", isNew: true });
      assert.deepEqual(
        host.comments.map((each) => [each.author, each.body.split("\n")[1]]),
        [
          [author, "old"],
          [host.user, "new"],
        ],
      );
    });
  }
});

describe("the event of a job of GitHub", () => {
  const cleanup = useCleanup("test");
  const job = async (event: object, more: Readonly<Record<string, string>> = {}) => {
    const host = await startReviewHost(cleanup);
    return await jobIn({ ...host.github, GITHUB_EVENT_PATH: eventFile(cleanup, event), ...more });
  };

  for (const [title, event] of [
    ["nothing", { pull_request: {} }],
    ["no number", { pull_request: { head } }],
    ["no head", { pull_request: { number: 7 } }],
    ["only a branch", { pull_request: { number: 7, head: { ref: "topic" } } }],
  ] as const) {
    it(`is refused if its pull request has ${title}, but in act only prevents a comment`, async () => {
      await assert.rejects(
        job(event),
        /^ProviderError: GITHUB_EVENT_PATH does not say whether the branch is that of a fork, because the event has no number or no head of a pull request\.$/,
      );
      assert.deepEqual((await job(event, { ACT: "true" }))?.pullRequest, {
        commit: undefined,
        isFork: false,
        comments: {
          kind: "none",
          reason: "the event has no number or no head of a pull request",
        },
      });
    });
  }

  it("is that of a fork in act, too, if it says so", async () => {
    const fork = { sha: commit, repo: { full_name: "mallory/infra" } };
    const event = { pull_request: { number: 7, head: fork } };
    assert.equal((await job(event, { ACT: "true" }))?.pullRequest?.isFork, true);
  });

  it("is that of a fork if its repository is not known", async () => {
    const event = { pull_request: { number: 7, head: { sha: commit, repo: null } } };
    assert.equal((await job(event))?.pullRequest?.isFork, true);
  });

  it("is of no pull request if it was another one", async () => {
    assert.equal((await job({ ref: "refs/heads/main" }))?.pullRequest, undefined);
  });
});

describe("the address of a job's log", () => {
  const cleanup = useCleanup("test");

  for (const [variables, url] of [
    ["github", "https://github.example/acme/infra/actions/runs/1/attempts/1"],
    ["gitlab", "https://gitlab.example/acme/infra/-/jobs/1"],
    ["forgejo", "https://git.example/acme/infra/actions/runs/43"],
    // It depends on the version.
    ["gitea", undefined],
  ] as const) {
    it(`is ${url ?? "not known"} in a job of ${variables}`, async () => {
      const host = await startReviewHost(cleanup);
      const environment = { ...host[variables], GITHUB_EVENT_PATH: eventFile(cleanup, {}) };
      assert.equal((await jobIn(environment))?.url, url);
    });
  }
});

describe("comments of a person's token", () => {
  const cleanup = useCleanup("test");

  it("are those of COMMENT_AUTHOR, and otherwise those of a bot", async () => {
    const host = await startReviewHost(cleanup);
    const GITHUB_EVENT_PATH = eventFile(cleanup);
    const marker = "<!-- pulumi-clouddb preview: a -->\nold";
    host.comments.push({ id: 1, author: "dana", body: marker });
    host.comments.push({ id: 2, author: "acme-previews[bot]", body: marker });
    for (const [COMMENT_AUTHOR, id] of [
      ["dana", 1],
      // Such as a variable of the workflow that is not set.
      ["", 2],
    ] as const) {
      const environment = { ...host.github, GITHUB_EVENT_PATH, COMMENT_AUTHOR };
      const { comments } = (await jobIn(environment))?.pullRequest ?? {};
      assert.ok(comments?.kind === "writable");
      await writeComment(comments, { title: "a", markdown: `new ${id}`, isNew: true });
      assert.match(host.comments[id - 1]?.body ?? "", new RegExp(`new ${id}$`));
    }
    assert.equal(host.comments.length, 2);
  });
});
