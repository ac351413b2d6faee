// @ts-check
/** HTML documents of a terminal and of a comment on GitHub. Their element `main` becomes the picture. */
import { AnsiUp } from "ansi_up";
import markdownIt from "markdown-it";

/**
 * @param {string} output the content of the terminal, with escape sequences for colors
 * @returns {string} HTML
 */
export function terminalDocument(output) {
  const ansi = new AnsiUp();
  ansi.use_classes = true;
  const [prompt = "", ...lines] = output.trim().split("\n");
  const styles = `
    main { width: 900px; border-radius: 10px; overflow: hidden; border: 1px solid #d0d7de; }
    header { display: flex; gap: 8px; padding: 12px 16px; background: #f6f8fa; border-bottom: 1px solid #d0d7de; }
    header i { width: 12px; height: 12px; border-radius: 50%; background: #d0d7de; }
    pre { margin: 0; padding: 18px 20px; background: #fff; }
    .prompt { font-weight: 600; }
    .ansi-red-fg, .ansi-bright-red-fg { color: #cf222e; }
    .ansi-green-fg, .ansi-bright-green-fg { color: #116329; }
    .ansi-yellow-fg, .ansi-bright-yellow-fg { color: #7d4e00; }
    .ansi-blue-fg, .ansi-bright-blue-fg { color: #0550ae; }
    .ansi-magenta-fg, .ansi-bright-magenta-fg { color: #8250df; }
    .ansi-cyan-fg, .ansi-bright-cyan-fg { color: #1b7c83; }
    .ansi-black-fg, .ansi-bright-black-fg { color: #57606a; }`;
  const content = `
    <header><i></i><i></i><i></i></header>
    <pre><span class="prompt">${ansi.ansi_to_html(prompt)}</span>\n${ansi.ansi_to_html(lines.join("\n"))}</pre>`;
  return page(styles, content);
}

/**
 * @param {string} markdown the comment
 * @returns {string} HTML
 */
export function commentDocument(markdown) {
  const styles = `
    main { display: flex; gap: 14px; width: 900px; }
    .avatar { flex: none; width: 40px; height: 40px; border-radius: 50%; background: #57606a; color: #fff;
      display: grid; place-items: center; font: 600 18px system-ui, sans-serif; }
    .comment { flex: 1; min-width: 0; border: 1px solid #d0d7de; border-radius: 6px; background: #fff; overflow: hidden; }
    header { padding: 9px 16px; background: #f6f8fa; border-bottom: 1px solid #d0d7de; color: #57606a; }
    header b { color: #1f2328; }
    header small { border: 1px solid #d0d7de; border-radius: 2em; padding: 1px 7px; margin: 0 4px; font-size: 12px; }
    .body { padding: 16px; }
    h3 { margin: 0 0 14px; font-size: 20px; line-height: 1.25; }
    pre { margin: 0; padding: 16px; background: #f6f8fa; border-radius: 6px; }`;
  const content = `
    <div class="avatar">g</div>
    <div class="comment">
      <header><b>github-actions</b> <small>bot</small> commented</header>
      <div class="body">${markdownIt()
        .render(markdown)
        .replace(/\s+<\/code>/, "</code>")}</div>
    </div>`;
  return page(styles, content);
}

/**
 * @param {string} styles
 * @param {string} content
 */
function page(styles, content) {
  return `<!doctype html>
    <meta charset="utf-8">
    <style>
      * { box-sizing: border-box; }
      body { margin: 20px; background: transparent; color: #1f2328;
        font: 14px/1.5 "Liberation Sans", Arial, system-ui, sans-serif; }
      pre, code { font: 13px/1.55 "DejaVu Sans Mono", "Liberation Mono", ui-monospace, monospace;
        white-space: pre-wrap; overflow-wrap: anywhere; }
      ${styles}
    </style>
    <main>${content}</main>`;
}
