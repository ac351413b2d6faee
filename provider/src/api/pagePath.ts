/** The paths of the pages of a list (service document 4.3). */
import { NoResponseError, errorCodes } from "./errors";
import { escapeText } from "./text";
import type { PageAddress } from "./paging";

/** The location of a list. */
export interface ListLocation {
  /** The origin of the service. */
  readonly baseUrl: URL;
  /** Path of the list, without a query. */
  readonly listPath: string;
  /** Path and query of the previous page; links are relative to it. */
  readonly previousPath: string;
}

/**
 * Returns the path and query of a page. The service document does not name the paging parameters; the
 * ones used here are common for such services.
 *
 * A link is resolved against the page that contains it. Only its query is used: requests always go to
 * the configured origin, so that credentials are not sent anywhere else, and to the path of the list, so
 * that records of another list do not count as those of this one.
 *
 * @param address the page
 * @param location the location of the list
 * @returns for example `/api/service/v1.0/groups/p/clusters?pageNum=1&itemsPerPage=500&includeCount=true`
 * @throws NoResponseError with code `malformed-response` if a link leads to another path
 */
export function pagePath(
  address: PageAddress,
  { baseUrl, listPath, previousPath }: ListLocation,
): string {
  switch (address.kind) {
    case "plain":
      return listPath;
    case "number": {
      const { pageNumber, pageSize } = address;
      return `${listPath}?pageNum=${pageNumber}&itemsPerPage=${pageSize}&includeCount=true`;
    }
    case "link":
      // Not a relative URL: a path that starts with two slashes would be taken for a host.
      return linkPath(address.href, new URL(`${baseUrl.origin}${previousPath}`));
  }
}

function linkPath(href: string, previousPage: URL): string {
  const link = URL.canParse(href, previousPage.href) ? new URL(href, previousPage) : undefined;
  if (link?.pathname === previousPage.pathname) return `${link.pathname}${link.search}`;
  throw new NoResponseError(
    errorCodes.malformed,
    { method: "GET", path: `${previousPage.pathname}${previousPage.search}`, attempts: 1 },
    `the next link of the list leads to another path, or is not a URL: "${escapeText(href, 100)}"`,
  );
}
