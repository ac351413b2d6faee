/** The recent requests and the pending faults. */
import { count, element } from "./elements.js";

const time = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });

/** Creates the entry of a request. */
export function requestEntry({ at, method, path, principal, ...outcome }) {
  const { text, style } = outcomeOf(outcome);
  return element(
    "li",
    {},
    element("time", { datetime: at }, localTime(new Date(at))),
    element("span", {}, method),
    element("span", { class: `chip ${style}` }, text),
    element("span", { class: "caller" }, principal ?? ""),
    element("code", {}, path),
  );
}

/** Returns the local time, with the date if it is not today. */
function localTime(date) {
  const isToday = date.toDateString() === new Date().toDateString();
  return (isToday ? time : dateAndTime).format(date);
}

function outcomeOf({ status, challenged, faulty }) {
  if (status === 0) return { text: faulty ? "no response (fault)" : "pending", style: "warning" };
  if (faulty) return { text: `${status} (fault)`, style: "warning" };
  if (challenged) return { text: "challenge", style: "" };
  return { text: String(status), style: status < 400 ? "good" : "bad" };
}

/** Creates the list of the pending faults; empty if there are none. */
export function faultList(faults, faultCount) {
  if (faultCount === 0) return [];
  const hidden = faultCount - faults.length;
  return [
    element("h3", {}, "Pending faults"),
    element("ul", {}, ...faults.map((fault) => element("li", {}, describe(fault)))),
    ...(hidden > 0 ? [element("p", { class: "note" }, `and ${hidden} more`)] : []),
  ];
}

function describe({ method, path, times, status, delayMs, reset, truncate }) {
  const effects = [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(delayMs === undefined ? [] : [`delay of ${delayMs} ms`]),
    ...(reset === undefined ? [] : ["connection reset"]),
    ...(truncate ? ["truncated body"] : []),
  ];
  const requests = requestsOf(Number(times), method ? `${method} request` : "request");
  return `${effects.join(", ")} for ${requests}${path ? `, path ${path}` : ""}`;
}

function requestsOf(times, noun) {
  if (times === Infinity) return `all ${noun}s`;
  return times === 1 ? `the next ${noun}` : `the next ${count(times, noun)}`;
}
