/** The script of the status page: polls /page.json, and renders projects and recent requests. */
import { addControls } from "./actions.js";
import { copyEntry, element, keyedList, setText, show } from "./elements.js";
import { projectCard } from "./projects.js";

const pollMilliseconds = 1000;

const shown = { updateProjects: undefined, text: undefined };

async function poll() {
  await refresh();
  setTimeout(poll, pollMilliseconds);
}

/** Fetches the data, and renders it if it changed. */
async function refresh() {
  const connection = document.getElementById("connection");
  let text;
  try {
    const response = await fetch("/page.json");
    text = await response.text();
  } catch {
    setText(connection, "Disconnected; retrying");
    connection.className = "bad";
    return;
  }
  setText(connection, "Connected");
  connection.className = "good";
  if (text === shown.text) return;
  shown.text = text;
  const data = JSON.parse(text);
  shown.updateProjects ??= createPage(data);
  shown.updateProjects(data.projects);
  document.getElementById("requests").replaceChildren(...data.requests.map(requestEntry));
}

/** Creates the page after the first response. Returns a function that renders the projects. */
function createPage({ control, ...connection }) {
  showConnection(connection);
  const actionsOf = control ? addControls(refresh) : undefined;
  if (!control) show(document.getElementById("controls"), "read-only-template");
  return keyedList(
    document.getElementById("projects"),
    ({ id }) => id,
    (project) => projectCard(project, actionsOf),
  );
}

/** Displays the settings of a client, which do not change while the simulator runs. */
function showConnection({ address, caFile, credentials }) {
  const connect = document.getElementById("connect");
  connect.append(...address.map(({ label, value }) => copyEntry(label, value)));
  if (caFile === undefined) {
    const note = "Write the member ca of the running simulator to the file ca.pem.";
    connect.append(
      element("div", {}, element("dt", {}, "CA certificate"), element("dd", {}, note)),
    );
  }
  // If there are both, the first one is the service account.
  const [first, apiKey] = credentials;
  connect.append(...credentialEntries(first));
  if (apiKey === undefined) return;
  const entries = element("dl", { class: "copies" }, ...credentialEntries(apiKey, "the API key"));
  connect.after(element("details", {}, element("summary", {}, "Use an API key instead"), entries));
}

function credentialEntries({ settings, configCommands }, owner) {
  return [
    ...settings.map(({ label, value }) => copyEntry(label, value)),
    copyEntry("Commands for a stack", configCommands.join("\n"), owner),
  ];
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** Creates the entry of a request. */
function requestEntry({ at, method, path, principal, ...outcome }) {
  const { text, style } = outcomeOf(outcome);
  return element(
    "li",
    {},
    element("time", { datetime: at }, time.format(new Date(at))),
    element("span", {}, method),
    element("span", { class: `chip ${style}` }, text),
    element("span", { class: "caller" }, principal ?? ""),
    element("code", {}, path),
  );
}

function outcomeOf({ status, faulty }) {
  if (status === 0) return { text: faulty ? "no response (fault)" : "pending", style: "warning" };
  if (faulty) return { text: `${status} (fault)`, style: "warning" };
  return { text: String(status), style: status < 400 ? "good" : "bad" };
}

void poll();
