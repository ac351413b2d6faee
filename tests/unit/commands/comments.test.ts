import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mock } from "node:test";
import { Agent } from "undici";
import { jobIn, writeComment } from "../../../provider/src/commands/job";
import { type Cleanup, temporaryFolder, useCleanup } from "../../support/cleanup";
import { startProxy, withoutProxy } from "../../support/proxy";
import { type ReviewHost, startReviewHost } from "../../support/reviewHost";

const commit = "2".repeat(40);
const bot = "github-actions[bot]";

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

/** GitHub's headers when no request is left until a time, in seconds since 1970. */
function exhausted(seconds: number) {
  const reset = Math.round(Date.now() / 1000) + seconds;
  return { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) };
}

/** Writes the event of a job of GitHub, for a pull request or not. */
function eventFile(cleanup: Cleanup, isOfPullRequest = true): string {
  const file = join(temporaryFolder(cleanup), "event.json");
  const head = { sha: commit, repo: { full_name: "acme/infra" } };
  writeFileSync(file, JSON.stringify(isOfPullRequest ? { pull_request: { number: 7, head } } : {}));
  return file;
}

for (const system of ["GitHub", "GitLab"] as const) {
  describe(`comments on ${system}`, () => {
    const cleanup = useCleanup("test");
    const address = system === "GitHub" ? "GITHUB_API_URL" : "CI_API_V4_URL";
    let host: ReviewHost;

    beforeEach(async () => {
      host = await startReviewHost(cleanup);
      host.commit = commit;
    });
    afterEach(() => {
      mock.restoreAll();
    });

    /** The job of a pull request, or one that another event started. */
    async function job(environment: Readonly<Record<string, string>> = {}, number?: string) {
      const own =
        system === "GitHub"
          ? { ...host.github, GITHUB_EVENT_PATH: eventFile(cleanup, number === undefined) }
          : { ...host.gitlab, CI_COMMIT_SHA: commit };
      const found = await jobIn({ ...own, ...environment }, number);
      assert.equal(found?.system, system);
      return found;
    }

    /** Writes the comment of a stack. */
    async function write(
      stack: string,
      outcome: string,
      environment: Readonly<Record<string, string>> = {},
    ) {
      const { comments } = (await job(environment)).pullRequest ?? {};
      assert.ok(comments !== undefined);
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
          author: id === 7 ? "mallory" : bot,
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
      for (let id = 1; id <= 5100; id++) host.comments.push({ id, author: bot, body: "x" });
      await write("a", "changed");
      const pages = host.requests.filter((each) => /^GET .*(comments|notes)$/.test(each));
      assert.equal(pages.length, 50);
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

    for (const [title, status, headers, seconds] of [
      ["a 403 with a long Retry-After", 403, { "retry-after": "3600" }, "3600"],
      ["a 403 without remaining requests", 403, exhausted(3600), "3[56]\\d\\d"],
      ["a 429 with a distant date", 429, { "retry-after": inSeconds(7200) }, "7[12]\\d\\d"],
      ["a second 403", 403, { "retry-after": "0" }, "1"],
    ] as const) {
      it(`says when to retry after ${title}, instead of what the token needs`, async () => {
        host.intercept = () => ({ status, headers });
        const message = `answered GET with ${status}\\. It limits requests; run the job again in ${seconds} s\\.$`;
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
        /^ProviderError: (GITHUB_API_URL|CI_API_V4_URL) is not the URL of (GitHub|GitLab)\.$/,
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
          return text.startsWith(`${system} did not answer: `) && !text.includes("clouddb:");
        });
      });
    }

    it("does not blame the server for a programming error", async () => {
      const bug = new TypeError("x is not a function");
      mock.method(Agent.prototype, "request", () => Promise.reject(bug));
      await assert.rejects(write("a", "changed"), bug);
    });

    it("says what the token needs, without the token", async () => {
      const variable = system === "GitHub" ? "GITHUB_TOKEN" : "GITLAB_TOKEN";
      assert.equal((await job({ [variable]: "" })).pullRequest?.comments, undefined);
      const foreign = write("a", "changed", { [variable]: "token-of-a-fork" });
      await assert.rejects(foreign, ({ message }: Error) => {
        const needs = `${variable} needs the (permission|scope)`;
        assert.match(message, new RegExp(`^${system} answered GET with 401\\. ${needs}`));
        return !message.includes("token-of-a-fork");
      });
    });

    it("comments on the pull request of another event, and finds out whether it is a fork's", async () => {
      const environment: Readonly<Record<string, string>> =
        system === "GitHub"
          ? {}
          : { CI_MERGE_REQUEST_IID: "", CI_MERGE_REQUEST_PROJECT_ID: "", CI_PROJECT_ID: "5" };
      const own = (await job(environment, "7")).pullRequest;
      assert.deepEqual([own?.commit, own?.isFork], [commit, false]);
      host.isFork = true;
      assert.equal((await job(environment, "7")).pullRequest?.isFork, true);
      const token = { GITHUB_TOKEN: "", GITLAB_TOKEN: "" };
      await assert.rejects(job({ ...environment, ...token }, "7"), /--pull-request needs a token/);
    });
  });
}

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
      assert.ok(comments !== undefined);
      await writeComment(comments, { title: "a", markdown: `new ${id}`, isNew: true });
      assert.match(host.comments[id - 1]?.body ?? "", new RegExp(`new ${id}$`));
    }
    assert.equal(host.comments.length, 2);
  });
});
