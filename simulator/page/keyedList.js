/** Lists whose elements stay in the document while their data changes. */

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
