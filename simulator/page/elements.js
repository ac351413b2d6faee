/** Creates elements, lists and buttons that copy. Data is inserted as escaped text, never as HTML. */

/** Control, bidirectional and zero-width characters, lone surrogates, line separators; not the line breaks of errors. */
const unsafeCharacters = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Escapes characters that are invisible or reorder the surrounding text. */
function escapeText(text) {
  return String(text).replace(
    unsafeCharacters,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`,
  );
}

/**
 * Creates an element.
 *
 * @param name the name of the element
 * @param attributes its attributes; their values are escaped
 * @param children elements, or values that are inserted as escaped text
 */
export function element(name, attributes, ...children) {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    created.setAttribute(attribute, escapeText(value));
  }
  created.append(...children.map((child) => (child instanceof Node ? child : escapeText(child))));
  return created;
}

/** Creates a button that calls a function. `label` replaces its text for screen readers. */
export function button(text, label, onClick) {
  const created = element("button", { type: "button", "aria-label": label }, text);
  created.addEventListener("click", onClick);
  return created;
}

/** Replaces the text of an element if it differs, so that screen readers do not announce it again. */
export function setText(target, text) {
  const escaped = escapeText(text);
  if (target.textContent !== escaped) target.textContent = escaped;
}

/** Appends the content of a template to an element. */
export function show(target, templateId) {
  target.append(document.getElementById(templateId).content.cloneNode(true));
}

/** Returns a number with its noun: `1 cluster`, `1,200 clusters`. */
export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/**
 * Renders a list into an element. An item keeps its element as long as its key stays, so that focus, open
 * details and selected text survive an update.
 *
 * @param container the parent of the elements
 * @param keyOf returns the key of an item
 * @param create creates an element: `root`, and `update`, which renders an item into it
 * @returns a function that renders the items
 */
export function keyedList(container, keyOf, create) {
  const entries = new Map();
  return (items) => {
    const keys = new Set(items.map(keyOf));
    for (const [key, { root }] of entries) {
      if (keys.has(key)) continue;
      root.remove();
      entries.delete(key);
    }
    items.forEach((item, index) => {
      const key = keyOf(item);
      if (!entries.has(key)) entries.set(key, { ...create(item), rendered: undefined });
      const entry = entries.get(key);
      const data = JSON.stringify(item);
      if (entry.rendered !== data) entry.update(item);
      entry.rendered = data;
      const current = container.children[index];
      if (current !== entry.root) container.insertBefore(entry.root, current ?? null);
    });
  };
}

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
 * Creates a list entry with a label, text and a button that copies the text.
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
    element("dd", {}, copyButton),
    element("dd", {}, ...text.split("\n").map((line) => element("code", {}, ...labelsOf(line)))),
  );
}

/** Splits a text into elements, between which a line can break: never inside a label of a host name. */
function labelsOf(text) {
  const parts = text.split(/( )|(?<=[.,/?&])/).filter(Boolean);
  return parts.map((part) => (part === " " ? part : element("span", {}, part)));
}

async function copy(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    announce(`Copied: ${name}`);
  } catch {
    announce("The browser does not allow copying. Select the text and copy it.");
  }
}
