/** The script of the status page: polls /page.json and renders it. Data is inserted as text, never as HTML. */
/* global document, fetch, Node, setTimeout */
"use strict";

const pollMilliseconds = 1000;

/** Control, bidirectional and zero-width characters, lone surrogates, line separators. */
const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Escapes characters that are invisible or reorder the surrounding text. */
function escapeText(text) {
  return String(text).replace(
    unsafeCharacters,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`,
  );
}

/** Creates an element with children: elements, or values that are inserted as escaped text. */
function createElement(name, ...children) {
  const created = document.createElement(name);
  created.append(...children.map((child) => (child instanceof Node ? child : escapeText(child))));
  return created;
}

/** Creates a span with a CSS class. */
function styledText(className, text) {
  const span = createElement("span", text);
  span.className = className;
  return span;
}

/** Returns pairs of a label and a connection string for all strings of a cluster. */
function labeledStrings(strings) {
  const { privateEndpoint = [], ...plain } = strings;
  return [
    ...Object.entries(plain),
    ...privateEndpoint.flatMap((entry) => {
      const { region } = entry.endpoints[0];
      return [
        [`private endpoint ${region}`, entry.connectionString],
        [`private endpoint ${region}, SRV`, entry.srvConnectionString],
        [`private endpoint ${region}, optimized`, entry.srvShardOptimizedConnectionString],
      ];
    }),
  ].filter(([, uri]) => uri !== undefined);
}

/** Creates the table row of a cluster. */
function clusterRow(cluster) {
  const list = createElement("dl");
  for (const [label, uri] of labeledStrings(cluster.strings)) {
    list.append(createElement("dt", label), createElement("dd", createElement("code", uri)));
  }
  const state = styledText(cluster.state === "IDLE" ? "good" : "bad", cluster.state);
  return createElement(
    "tr",
    createElement("td", cluster.name),
    createElement("td", cluster.type),
    createElement("td", cluster.version),
    createElement("td", state),
    createElement("td", list),
  );
}

/** Creates the section of a project: its heading, private IP mode and clusters. */
function projectSection(project) {
  const head = createElement("tr");
  for (const title of ["Cluster", "Type", "Version", "State", "Connection strings"]) {
    const cell = createElement("th", title);
    cell.scope = "col";
    head.append(cell);
  }
  const mode = project.privateIpMode ? "on" : "off";
  const remaining = project.clusterCount - project.clusters.length;
  const section = createElement(
    "article",
    createElement("h3", `${project.name} (${project.organization})`),
    createElement("p", "Project ", createElement("code", project.id), ` · private IP mode ${mode}`),
    createElement(
      "table",
      createElement("thead", head),
      createElement("tbody", ...project.clusters.map(clusterRow)),
    ),
  );
  if (remaining > 0) section.append(createElement("p", `and ${remaining} more clusters`));
  section.dataset.project = project.id;
  return section;
}

/** Creates the table row of a request. */
function requestRow(request) {
  const status = request.status === 0 ? "reset" : String(request.status);
  const good = request.status >= 200 && request.status < 400;
  return createElement(
    "tr",
    createElement("td", request.at.slice(11, 19)),
    createElement("td", request.method),
    createElement("td", createElement("code", request.path)),
    createElement("td", request.principal ?? ""),
    createElement("td", styledText(good ? "good" : "bad", status)),
  );
}

/** Fetches the data and updates the page if it changed since `etag`. Returns the new ETag. */
async function update(etag) {
  const response = await fetch("/page.json", etag ? { headers: { "if-none-match": etag } } : {});
  if (response.status !== 200) return etag;
  const { projects, requests } = await response.json();
  document.getElementById("projects").replaceChildren(...projects.map(projectSection));
  document.getElementById("requests").replaceChildren(...requests.map(requestRow));
  return response.headers.get("etag");
}

/** Updates the page, and schedules the next poll. `etag` is the ETag of the last response, if any. */
async function poll(etag) {
  const connection = document.getElementById("connection");
  let newEtag;
  try {
    newEtag = await update(etag);
    connection.textContent = "connected";
  } catch {
    connection.textContent = "disconnected; retrying";
  }
  setTimeout(poll, pollMilliseconds, newEtag);
}

void poll();
