/** Creates elements. Data is inserted as escaped text, never as HTML. */

/** Control, bidirectional and zero-width characters, lone surrogates, line separators. */
const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

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

/** Returns a number with its noun: `1 cluster`, `1,200 clusters`. */
export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
