/** Buttons that copy a text, and the live region that confirms it. */
import { button, element, setText } from "./elements.js";

const announcementMilliseconds = 4000;

/** Shows a message for some seconds; screen readers read it out. */
export function announce(message) {
  const announcement = document.getElementById("announcement");
  setText(announcement, message);
  setTimeout(() => {
    if (announcement.textContent === message) announcement.textContent = "";
  }, announcementMilliseconds);
}

/**
 * Creates the term and the description of a text with a button that copies it.
 *
 * @param label what the text is
 * @param text the text
 * @param owner whose text it is, for screen readers: `orders`
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
    // The page has no permission, or is not focused.
    if (!copySelection(text)) {
      announce("The browser does not allow copying. Select the text and copy it.");
      return;
    }
  }
  announce(`Copied: ${name}`);
}

/** Copies a text in the old way: through a selection. Returns whether it worked. */
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
