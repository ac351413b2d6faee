/** Writes a report into a comment of a pull or merge request, and updates that comment for each commit. */
import * as z from "zod/mini";
import { type ApiAccess, ReviewApi, UnexpectedStatusError } from "./reviewApi";

/** The comments of a pull request, and which of them this command may update. */
export interface Comments extends ApiAccess {
  readonly kind: "writable";
  /** Updates a comment, whose ID follows the URL. */
  readonly update: { readonly method: "PATCH" | "PUT"; readonly url: string };
  readonly pages: Paging;
  readonly author: Author;
}

/** No comment can be written. */
export interface NoComments {
  readonly kind: "none";
  /** Follows "no comment was written, because". */
  readonly reason: string;
}

/** How the API returns comments in several pages. */
interface Paging {
  readonly query: string;
  /** The length of every page but the last one, if the server keeps to it. */
  readonly length: number | undefined;
}

/** The author of the job's comments. Anybody else could have copied their marker. */
export type Author =
  | { readonly kind: "bot" }
  | { readonly kind: "user"; readonly name: string }
  /** The user of the token, whom the API names at this URL. Tokens of jobs of GitHub cannot ask for theirs. */
  | { readonly kind: "token"; readonly url: string };

/** What a comment says. */
export interface Comment {
  /** The stack, by which later runs find the comment. */
  readonly title: string;
  readonly markdown: string;
  /** Whether to create a comment if there is none yet. */
  readonly isNew: boolean;
}

/** Updates the comment with the title of the report or, if there is none, creates it. */
export async function writeComment(
  comments: Comments,
  { title, markdown, isNew }: Comment,
): Promise<void> {
  const { url, update } = comments;
  const api = new ReviewApi(comments);
  const marker = `<!-- pulumi-clouddb preview: ${encodeURIComponent(title)} -->`;
  const body = `${marker}\n${markdown}`;
  const id = await findComment(comments, api, marker);
  if (id !== undefined) {
    try {
      await api.write(update.method, `${update.url}/${id}`, { body });
      return;
    } catch (error) {
      // Somebody may have deleted the comment in the meantime.
      if (!(error instanceof UnexpectedStatusError && [404, 410].includes(error.status)))
        throw error;
    }
  }
  if (isNew || id !== undefined) await api.write("POST", url, { body });
}

const login = z.nullish(z.object({ login: z.string() }));
const username = z.nullish(z.object({ username: z.string() }));
const commentsSchema = z.array(
  z.object({ id: z.number(), body: z.nullish(z.string()), user: login, author: username }),
);
/** The user of a token has a login on Gitea and Forgejo, and a username on GitLab. */
const userSchema = z.union([z.object({ login: z.string() }), z.object({ username: z.string() })]);

/** The maximum number of pages to search. GitHub allows 2,500 comments. */
const maxPages = 50;

/** Returns the ID of the job's comment with a marker in its first line; undefined if there is none. */
async function findComment(
  { url, pages, author }: Comments,
  api: ReviewApi,
  marker: string,
): Promise<number | undefined> {
  const isOwn = await authorTest(author, api);
  let previousStart: number | undefined;
  for (let page = 1; page <= maxPages; page++) {
    const found = await api.get(`${url}?${pages.query}&page=${page}`, commentsSchema);
    const own = found.find(
      (comment) =>
        isOwn(comment.user?.login ?? comment.author?.username ?? "") &&
        // A browser writes CRLF when somebody edits the comment.
        comment.body?.split(/\r?\n/)[0] === marker,
    );
    if (own !== undefined) return own.id;
    const start = found[0]?.id;
    const isLast = start === undefined || start === previousStart;
    if (isLast || (pages.length !== undefined && found.length < pages.length)) return undefined;
    previousStart = start;
  }
  return undefined;
}

/** Returns a test of whether a user is the author of the job's comments. */
async function authorTest(author: Author, api: ReviewApi): Promise<(name: string) => boolean> {
  switch (author.kind) {
    case "bot":
      return (name) => name.endsWith("[bot]");
    case "user":
      return (name) => name === author.name;
    case "token": {
      const user = await api.get(author.url, userSchema);
      const own = "login" in user ? user.login : user.username;
      return (name) => name === own;
    }
  }
}
