/** The script of the status page: polls /page.json and renders it. */
import { addControls } from "./actions.js";
import { copyEntry } from "./copying.js";
import { element, setText } from "./elements.js";
import { keyedList } from "./keyedList.js";
import { projectCard } from "./projects.js";
import { faultList, requestEntry } from "./requests.js";

const pollMilliseconds = 1000;

/** Creates the page after the first response. */
function createPage({ control, caFile, baseUrl }) {
  showConnection(baseUrl, caFile);
  const actionsOf = control ? addControls(refresh) : undefined;
  return {
    updateProjects: keyedList(
      document.getElementById("projects"),
      ({ id }) => id,
      (project) => projectCard(project, caFile, actionsOf?.(project.id)),
    ),
  };
}

/** Displays the base URL and the CA certificate, which do not change while the simulator runs. */
function showConnection(baseUrl, caFile) {
  const certificate =
    caFile === undefined
      ? element(
          "div",
          {},
          element("dt", {}, "CA certificate"),
          element("dd", {}, "the member ", element("code", {}, "ca"), " of the running simulator"),
        )
      : copyEntry("CA certificate", caFile);
  document.getElementById("connect").append(copyEntry("Base URL", baseUrl), certificate);
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

function render({ control, projects, requests, faults, faultCount, ...data }, { updateProjects }) {
  updateProjects(projects);
  document.getElementById("requests").replaceChildren(...requests.map(requestEntry));
  document.getElementById("faults").replaceChildren(...faultList(faults, faultCount));
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

void poll();
