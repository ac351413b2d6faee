// Shows the state of the simulator and follows it. Everything goes in as text, never as HTML.
/* global document, fetch, Node, setTimeout */
"use strict";

const EVERY_MILLISECONDS = 1000;
let tag;

/** Control, bidirectional and zero-width characters, lone surrogates, line separators. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Makes characters visible that would be invisible, or reorder the text around them. */
function visible(text) {
  return String(text).replace(
    UNSAFE,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`,
  );
}

/** An element with children: other elements, and text with nothing invisible in it. */
function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children.map((child) => (child instanceof Node ? child : visible(child))));
  return made;
}

function marked(kind, text) {
  const made = element("span", text);
  made.className = kind;
  return made;
}

/** All strings of a cluster as pairs of a label and a connection string. */
function labelled(strings) {
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

function clusterRow(cluster) {
  const list = element("dl");
  for (const [label, uri] of labelled(cluster.strings)) {
    list.append(element("dt", label), element("dd", element("code", uri)));
  }
  const state = marked(cluster.state === "IDLE" ? "good" : "bad", cluster.state);
  return element(
    "tr",
    element("td", cluster.name),
    element("td", cluster.type),
    element("td", cluster.version),
    element("td", state),
    element("td", list),
  );
}

function projectPart(project) {
  const head = element("tr");
  for (const title of ["Cluster", "Type", "Version", "State", "Connection strings"]) {
    const cell = element("th", title);
    cell.scope = "col";
    head.append(cell);
  }
  const mode = project.privateIpMode ? "on" : "off";
  const hidden = project.clusterCount - project.clusters.length;
  const part = element(
    "article",
    element("h3", `${project.name} (${project.organization})`),
    element("p", "Project ", element("code", project.id), ` · private IP mode ${mode}`),
    element("table", element("thead", head), element("tbody", ...project.clusters.map(clusterRow))),
  );
  if (hidden > 0) part.append(element("p", `and ${hidden} more clusters`));
  part.dataset.project = project.id;
  return part;
}

function requestRow(request) {
  const status = request.status === 0 ? "reset" : String(request.status);
  const good = request.status >= 200 && request.status < 400;
  return element(
    "tr",
    element("td", request.at.slice(11, 19)),
    element("td", request.method),
    element("td", element("code", request.path)),
    element("td", request.principal ?? ""),
    element("td", marked(good ? "good" : "bad", status)),
  );
}

async function show() {
  const connection = document.getElementById("connection");
  try {
    const response = await fetch("/page.json", tag ? { headers: { "if-none-match": tag } } : {});
    if (response.status === 200) {
      const { projects, requests } = await response.json();
      document.getElementById("projects").replaceChildren(...projects.map(projectPart));
      document.getElementById("requests").replaceChildren(...requests.map(requestRow));
      tag = response.headers.get("etag");
    }
    connection.textContent = "following";
  } catch {
    connection.textContent = "the simulator does not answer";
    tag = undefined;
  }
  setTimeout(show, EVERY_MILLISECONDS);
}

void show();
