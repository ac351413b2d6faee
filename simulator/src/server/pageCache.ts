/**
 * Caches the rendered pages of unchanged lists, so that repeated requests cost little more than a static
 * response. The measured gain is in docs/decisions/0016-simulator-speed.md.
 */
import type { OperationResult } from "../api/operation";

/** Maximum number of cached pages of one list. */
const pagesPerList = 20;

/** Caches rendered pages of lists. */
export class PageCache {
  /** Pages by items and request target. When a list changes, its array is replaced, not mutated. */
  private readonly pages = new WeakMap<readonly unknown[], Map<string, string>>();

  /**
   * Returns a body, from the cache if the list is unchanged.
   *
   * @param result the result of the operation; only lists with `unchangedItems` are cached
   * @param target path and query of the request, which determine the body of a given result
   * @param render renders the body
   * @returns the body
   */
  body(result: OperationResult, target: string, render: () => string): string {
    if (result.kind !== "list" || !result.unchangedItems) return render();
    let pages = this.pages.get(result.unchangedItems);
    if (!pages) {
      pages = new Map();
      this.pages.set(result.unchangedItems, pages);
    }
    let page = pages.get(target);
    if (!page) {
      page = render();
      if (pages.size >= pagesPerList) pages.clear();
      pages.set(target, page);
    }
    return page;
  }
}
