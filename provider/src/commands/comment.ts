/**
 * The comment on a pull request of GitHub, or the note on a merge request of GitLab, with the report of a stack. Later
 * commits update it, because a hidden marker in its first line names the project and the stack.
 */
import * as z from "../messages/zod";
import { type Comments, type Send, sender } from "./codeHost";

export interface Comment {
  /** The project and the stack. */
  readonly title: string;
  readonly markdown: string;
  /** Whether to create a comment if there is none yet. */
  readonly isNew: boolean;
}

const userSchema = z.object({ username: z.string() });
const commentsSchema = z.array(
  z.object({
    id: z.number(),
    body: z.nullish(z.string()),
    user: z.nullish(z.object({ login: z.string() })),
    author: z.nullish(userSchema),
  }),
);

/** Creates or updates the comment of a stack. */
export async function writeComment(
  comments: Comments,
  { title, markdown, isNew }: Comment,
): Promise<void> {
  const { url, update } = comments;
  const send = sender(comments);
  const marker = `<!-- pulumi-clouddb preview: ${encodeURIComponent(title)} -->`;
  const body = `${marker}\n${markdown}`;
  const id = await findComment(comments, send, marker);
  const isUpdated =
    id !== undefined && (await send(update.method, `${update.url}/${id}`, z.unknown(), { body }));
  // Somebody may have deleted the comment in the meantime.
  if (!isUpdated && (isNew || id !== undefined)) await send("POST", url, z.unknown(), { body });
}

/** The maximum number of pages to search, with 100 comments each. GitHub allows 2,500 comments. */
const maxPages = 50;

/** Finds the comment among those of the token's user, because others could have copied the marker. */
async function findComment(
  { url, user, author }: Comments,
  send: Send,
  marker: string,
): Promise<number | undefined> {
  const login = user === undefined ? author : (await send("GET", user, userSchema))?.username;
  const isOwn = (name = "") => (login === undefined ? name.endsWith("[bot]") : name === login);
  for (let page = 1; page <= maxPages; page++) {
    const query = `?per_page=100&page=${page}&order_by=created_at&sort=asc`;
    const found = (await send("GET", `${url}${query}`, commentsSchema)) ?? [];
    const own = found.find(
      (each) =>
        isOwn(each.user?.login ?? each.author?.username) &&
        // A browser writes CRLF when somebody edits the comment.
        each.body?.split(/\r?\n/)[0] === marker,
    );
    if (own !== undefined || found.length < 100) return own?.id;
  }
  return undefined;
}
