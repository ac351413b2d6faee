/** Shows changed private IP modes, and what uses the legacy strings that lead elsewhere. */
import type { LookupUsers, ModeChange } from "../model";
import { unknownText } from "../values";
import {
  type Block,
  type Line,
  countedNames,
  joined,
  line,
  receiversLine,
  subjectLine,
} from "./blocks";

/** Shows a change of a mode: its value before and after, why it changes, and what uses the legacy strings. */
export function modeBlock(change: ModeChange): Block {
  const { op, name, projectId, legacyUsers } = change;
  const resource = `PrivateIpMode ${name}`;
  return {
    kind: "text",
    title: line`${op} ${resource} in project ${projectId}: ${modeLine(change)}`,
    lines: [
      ...modeSentences(change).map((sentence) => [sentence]),
      ...(legacyUsers === undefined ? [] : [usersLine(legacyUsers)]),
    ],
  };
}

/** Such as "`on` → `off`"; only one of the values if they are the same, or if the other one does not exist. */
function modeLine({ from, to, move }: ModeChange): Line {
  const shown = (mode: string | undefined, project: string | undefined): Line =>
    mode === undefined ? [] : line`${mode}${subjectLine(project)}`;
  const [before, after] = [shown(from, move?.from), shown(to, move?.to)];
  const isSame = from === to && move === undefined;
  return isSame ? after : joined([before, after], " → ");
}

/** Says what happens to legacy strings, and what uses them. */
function usersLine({ lookups, ...receivers }: LookupUsers): Line {
  const named = countedNames(
    "{lookup|lookups}",
    lookups.map(({ name }) => name),
  );
  const users = joined([named, receiversLine(receivers)], "; ");
  return [stringsStay, ...(users.length === 0 ? [] : line` They are used by ${users}.`)];
}

/** Says what the values and the operation do not. */
function modeSentences(change: ModeChange): string[] {
  const { op, to, cause, hasError } = change;
  return [
    ...(cause === "service" && op !== "refresh" ? [differsFromState] : []),
    ...(cause === "unconfirmed" ? [unconfirmed] : []),
    ...(op === "create" ? creationSentences(change) : []),
    ...(hasError ? [] : unmanagedSentences(change)),
    ...(op === "refresh" && to === undefined ? ["The project no longer exists."] : []),
  ];
}

/** Says which project's mode the stack leaves as it is. */
function unmanagedSentences({ op, move }: ModeChange): string[] {
  if (op === "delete") return ["The mode keeps its value, but this stack no longer manages it."];
  if (op !== "replace" || move === undefined) return [];
  return ["The mode of the previous project keeps its value, but this stack no longer manages it."];
}

/** Says what a creation does if nothing tells the mode: `check` warns before it enables the mode, and did not. */
function creationSentences({ projectId, from, to }: ModeChange): string[] {
  if (from !== undefined) return [];
  if (to === "off") return ["If the mode is on, this update disables it."];
  const isAlreadyOn = to === "on" && projectId !== unknownText;
  return isAlreadyOn ? ["The mode is already on, so nothing changes in the service."] : [];
}

const stringsStay =
  "The connection strings of this project stay the same, but the host names in its legacy strings resolve to different addresses.";

const differsFromState = "The mode in the service differs from the state.";
const unconfirmed =
  "The outcome of an earlier change is not known, so the state does not contain the mode.";
