/** The script of the status page: polls /page.json, and renders projects, recent requests and pending faults. */
import { addControls } from "./actions.js";
import { copyEntry, count, element, keyedList, setText, show } from "./elements.js";
import { projectCard } from "./projects.js";

const pollMilliseconds = 1000;

/** Creates the page after the first response. */
function createPage({ control, caFile, settings, configCommands }) {
  showConnection(settings, caFile, configCommands);
  const actionsOf = control ? addControls(refresh) : undefined;
  if (!control) show(document.getElementById("controls"), "read-only-template");
  return {
    updateProjects: keyedList(
      document.getElementById("projects"),
      ({ id }) => id,
      (project) => projectCard(project, caFile, actionsOf?.(project.id)),
    ),
  };
}

/** Displays the settings of a client, which do not change while the simulator runs. */
function showConnection(settings, caFile, configCommands) {
  const connect = document.getElementById("connect");
  connect.append(...settings.map(({ label, value }) => copyEntry(label, value)));
  if (caFile === undefined) {
    const note = "Write the member ca of the running simulator to the file ca.pem.";
    connect.append(
      element(
        "div",
        {},
        element("dt", {}, "CA certificate"),
        element("dd", { class: "note" }, note),
      ),
    );
  }
  connect.append(copyEntry("Commands for a stack", configCommands.join("\n")));
}

const shown = { page: undefined, etag: undefined };

/** Fetches the data, and renders it if it changed. */
async function refresh() {
  const connection = document.getElementById("connection");
  let response;
  let data;
  try {
    response = await fetch("/page.json", {
      headers: shown.etag === undefined ? {} : { "if-none-match": shown.etag },
    });
    if (response.status === 200) data = await response.json();
  } catch {
    setText(connection, "Disconnected; retrying");
    connection.className = "bad";
    return;
  }
  setText(connection, "Connected");
  connection.className = "good";
  if (data === undefined) return;
  shown.etag = response.headers.get("etag") ?? undefined;
  shown.page ??= createPage(data);
  render(data, shown.page);
}

function render({ control, projects, requests, faults, ...data }, { updateProjects }) {
  updateProjects(projects);
  document.getElementById("requests").replaceChildren(...requests.map(requestEntry));
  document.getElementById("faults").replaceChildren(...faultList(faults));
  if (control) setText(document.getElementById("clock"), clockText(data.clockOffsetSeconds));
}

function clockText(offsetSeconds) {
  if (offsetSeconds === 0) return "The clock shows real time.";
  const units = [
    [Math.floor(offsetSeconds / 86_400), "d"],
    [Math.floor(offsetSeconds / 3600) % 24, "h"],
    [Math.floor(offsetSeconds / 60) % 60, "min"],
    [offsetSeconds % 60, "s"],
  ].filter(([number]) => number > 0);
  return `The clock is ${units.map((unit) => unit.join(" ")).join(" ")} ahead of real time.`;
}

async function poll() {
  await refresh();
  setTimeout(poll, pollMilliseconds);
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });

/** Creates the entry of a request. */
function requestEntry({ at, method, path, principal, ...outcome }) {
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
function faultList(faults) {
  if (faults.length === 0) return [];
  return [
    element("h3", {}, "Pending faults"),
    element("ul", {}, ...faults.map((fault) => element("li", {}, describe(fault)))),
  ];
}

function describe({ method, path, times, status, delayMs, reset, truncate }) {
  const effects = [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(delayMs === undefined ? [] : [`delay of ${delayMs} ms`]),
    ...(reset === undefined
      ? []
      : [`connection reset ${reset === true ? "before" : "after"} processing`]),
    ...(truncate ? ["truncated body"] : []),
  ];
  const requests = requestsOf(Number(times), method ? `${method} request` : "request");
  return `${effects.join(", ")} for ${requests}${path ? `, path ${path}` : ""}`;
}

function requestsOf(times, noun) {
  if (times === Infinity) return `all ${noun}s`;
  return times === 1 ? `the next ${noun}` : `the next ${count(times, noun)}`;
}

void poll();
