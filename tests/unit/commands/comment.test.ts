import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { jobIn, markOutdated, writeComment } from "../../../provider/src/commands/comment";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { type ReviewHost, startReviewHost } from "../../support/reviewHost";

const [old, current] = ["1".repeat(40), "2".repeat(40)];
const bot = "github-actions[bot]";

for (const system of ["GitHub", "GitLab"] as const) {
  describe(`comments on ${system}`, () => {
    const cleanup = useCleanup("test");
    let host: ReviewHost;

    beforeEach(async () => {
      host = await startReviewHost(cleanup);
      host.commit = current;
    });

    /** A job for a commit, by default the last one. */
    function job(
      commit = current,
      environment: Readonly<Record<string, string>> = {},
      author?: string,
    ) {
      const event = join(temporaryFolder(cleanup), "event.json");
      const head = { sha: commit, repo: { full_name: "acme/infra" } };
      writeFileSync(event, JSON.stringify({ pull_request: { number: 7, head } }));
      const own =
        system === "GitHub"
          ? { ...host.github, GITHUB_EVENT_PATH: event }
          : { ...host.gitlab, CI_COMMIT_SHA: commit };
      const found = jobIn({ ...own, ...environment }, author);
      assert.equal(found?.system, system);
      return found;
    }

    const report = (stack: string, outcome: string) => ({
      title: `infra/${stack}`,
      markdown: `### \`infra/${stack}\`: ${outcome}\n`,
    });
    const bodies = () =>
      host.comments.map(({ body }) => body.replaceAll(/<!--.*-->\n/g, "").split("\n\n"));

    it("updates the comment of a stack", async () => {
      assert.equal(await writeComment(job(), report("a", "changed")), undefined);
      assert.equal(await writeComment(job(), report("b", "failed")), undefined);
      assert.equal(await writeComment(job(), report("a", "refused")), undefined);
      assert.deepEqual(bodies(), [["### `infra/a`: refused\n"], ["### `infra/b`: failed\n"]]);
      assert.match(host.comments[0]?.body ?? "", /^<!-- pulumi-clouddb preview: infra%2Fa -->\n/);
    });

    it("finds its comment on a later page, but no other user's comment with the same marker", async () => {
      await writeComment(job(), report("a", "changed"));
      const marker = host.comments.pop()?.body ?? "";
      for (let id = 1; id <= 120; id++) {
        host.comments.push({
          id,
          author: id === 7 ? "mallory" : bot,
          body: id === 7 ? marker : "coverage: 90 %",
        });
      }
      const foreign = structuredClone(host.comments);
      await writeComment(job(), report("a", "changed"));
      await writeComment(job(), report("a", "unchanged"));
      assert.deepEqual(host.comments.slice(0, 120), foreign);
      assert.match(host.comments[120]?.body ?? "", /unchanged/);
      assert.equal(host.comments.length, 121);
    });

    it("names the variable of an invalid token or address, but not the token", async () => {
      const token = { GITHUB_TOKEN: "secret\n", GITLAB_TOKEN: "secret\n" };
      const address = { GITHUB_API_URL: "", CI_API_V4_URL: "localhost:80" };
      for (const [environment, message] of [
        [token, "TOKEN contains white space or another invalid character."],
        [address, "URL is not the URL of an API."],
      ] as const) {
        const written = writeComment(job(current, environment), report("a", "changed"));
        await assert.rejects(written, new RegExp(`^ProviderError: [A-Z_4]+${message}$`));
      }
    });

    it("accepts another comment author", async () => {
      await writeComment(job(), report("a", "changed"));
      await writeComment(job(current, {}, "deploy-bot"), report("a", "unchanged"));
      assert.equal(host.comments.length, 2);
      // Such as a variable that is not set.
      await writeComment(job(current, {}, ""), report("a", "failed"));
      assert.equal(host.comments.length, 2);
    });

    it("never overwrites the comment of a newer commit, regardless of the order in which jobs end", async () => {
      await writeComment(job(), report("a", "unchanged"));
      const before = structuredClone(host.comments);
      const reason = /commit 1+, but 2+ is newer$/;
      assert.match((await writeComment(job(old), report("a", "refused"))) ?? "", reason);
      assert.match((await markOutdated(job(old))) ?? "", reason);
      // The commit is pushed while the job of the older one reads the comments.
      host.commit = old;
      host.intercept = (request) => {
        if (/(comments|notes)$/.test(request)) host.commit = current;
        return undefined;
      };
      assert.match((await writeComment(job(old), report("a", "refused"))) ?? "", reason);
      assert.deepEqual(host.comments, before);
    });

    it("says which stacks were not previewed, and keeps the comments of this commit and of other workflows", async () => {
      host.commit = old;
      await writeComment(job(old), report("left", "refused"));
      await writeComment(job(old), report("failed", "changed"));
      const other = system === "GitHub" ? "GITHUB_WORKFLOW" : "CI_CONFIG_PATH";
      await writeComment(job(old, { [other]: "Other" }), report("other", "changed"));
      host.comments.push({ id: 4, author: "mallory", body: host.comments[0]?.body ?? "" });
      host.commit = current;
      await writeComment(job(), report("current", "refused"));
      const [, , ...kept] = structuredClone(host.comments);

      assert.equal(await markOutdated(job()), undefined);
      for (const [at, stack] of [
        [0, "left"],
        [1, "failed"],
      ] as const) {
        const [heading, link, text = ""] = bodies()[at] ?? [];
        assert.equal(heading, `### \`infra/${stack}\`: did not run`);
        const url =
          system === "GitHub"
            ? "https://github.example/acme/infra/actions/runs/1/attempts/1"
            : "https://gitlab.example/acme/infra/-/jobs/1";
        assert.equal(link, `\`${current}\` · [log of the job](${url})`);
        assert.match(text, /^The preview did not run for this commit: /);
      }
      assert.deepEqual(host.comments.slice(2), kept);

      await writeComment(job(), report("failed", "changed"));
      assert.equal(bodies()[1]?.[0], "### `infra/failed`: changed\n");
    });

    it("repeats requests, but never creates a second comment", async () => {
      const failed = new Set<string>();
      host.intercept = (request) => {
        if (request.startsWith("POST") || failed.has(request)) return undefined;
        failed.add(request);
        return 502;
      };
      await writeComment(job(), report("a", "changed"));
      await writeComment(job(), report("a", "unchanged"));
      assert.equal(bodies()[0]?.[0], "### `infra/a`: unchanged\n");
      host.intercept = (request) => (request.startsWith("POST") ? 502 : undefined);
      await assert.rejects(writeComment(job(), report("b", "changed")), {
        message: `${system} answered POST with 502.`,
      });
      assert.equal(host.requests.filter((each) => each.startsWith("POST")).length, 2);
    });

    it("says why it cannot comment, without the token", async () => {
      const variable = system === "GitHub" ? "GITHUB_TOKEN" : "GITLAB_TOKEN";
      const missing = await writeComment(job(current, { [variable]: "" }), report("a", "changed"));
      assert.equal(missing, `${variable} is not set`);
      const foreign = job(current, { [variable]: "token-of-a-fork" });
      await assert.rejects(writeComment(foreign, report("a", "changed")), ({ message }: Error) => {
        assert.match(
          message,
          new RegExp(`^${system} answered GET with 401\\. .*(permission|scope)`),
        );
        return !message.includes("token-of-a-fork");
      });
    });
  });
}
