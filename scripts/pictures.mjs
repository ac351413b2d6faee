// @ts-check
/** `npm run pictures`: writes the pictures of the documentation, from real runs. */
import fs from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { prepareWithCli } from "./firstRun/index.mjs";
import { Failure, command, say } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run pictures    writes docs/pictures: runs pulumi preview where a disable is refused and the pull request check,
                    both against the simulator, and takes screenshots; needs Chromium`;

const folder = path.join(root, "docs", "pictures");

await command(help, async (args) => {
  if (args.length > 0) throw new Failure(`Unknown argument: ${args[0]}\n${help}`);
  const bin = await prepareWithCli();
  // They import dependencies and the built simulator.
  const { withBrowser } = await import("./pictures/browser.mjs");
  const { withRuns } = await import("./pictures/runs.mjs");
  const { commentDocument, terminalDocument } = await import("./pictures/documents.mjs");

  fs.mkdirSync(folder, { recursive: true });
  await withRuns(bin, ({ preview, comment, pageUrl }) =>
    withBrowser(async (browser) => {
      await browser.pictureOf(terminalDocument(preview), file("refused-disable.png"));
      await browser.pictureOf(commentDocument(comment), file("pull-request-comment.png"));
      await browser.pictureOfStatusPage(pageUrl, file("simulator-page.png"));
      // For the diff of a change, and for the test that compares them with the README.
      fs.writeFileSync(
        file("refused-disable.txt"),
        stripVTControlCharacters(preview).replace(/ +$/gm, ""),
      );
      fs.writeFileSync(file("pull-request-comment.txt"), comment);
    }),
  );
  for (const name of fs.readdirSync(folder)) {
    say(`docs/pictures/${name}: ${Math.ceil(fs.statSync(file(name)).size / 1024)} KiB`);
  }
  return 0;
});

/** @param {string} name */
function file(name) {
  return path.join(folder, name);
}
