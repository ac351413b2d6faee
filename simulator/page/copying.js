/** Buttons that copy a text, and the live region that confirms it. */
import { button, element, setText } from "./elements.js";

const announcementMilliseconds = 4000;

/** Displays a message for a few seconds; screen readers announce it. */
export function announce(message) {
  const announcement = document.getElementById("announcement");
  setText(announcement, message);
  setTimeout(() => {
    if (announcement.textContent === message) announcement.textContent = "";
  }, announcementMilliseconds);
}

/**
 * Creates a list entry with a label, a text and a button that copies the text.
 *
 * @param label what the text is
 * @param text the text
 * @param owner what the text belongs to, for screen readers, such as `orders`
 */
export function copyEntry(label, text, owner = "") {
  const name = owner === "" ? label : `${label} of ${owner}`;
  const copyButton = button("Copy", `Copy: ${name}`, () => void copy(text, name));
  return element(
    "div",
    { class: "copy" },
    element("dt", {}, label),
    element("dd", {}, element("code", {}, text)),
    element("dd", {}, copyButton),
  );
}

async function copy(text, name) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The page has no permission to use the clipboard, or is not focused.
    if (!copySelection(text)) {
      announce("The browser does not allow copying. Select the text and copy it.");
      return;
    }
  }
  announce(`Copied: ${name}`);
}

/** Copies a text through a selection, which needs no permission. Returns whether it worked. */
function copySelection(text) {
  const { activeElement } = document;
  const area = element("textarea", { class: "visually-hidden" });
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  activeElement?.focus();
  return copied;
}
