/** The cards of projects and clusters. */
import { button, copyEntry, count, element, keyedList, setText } from "./elements.js";

/**
 * Creates the card of a project.
 *
 * @param project the project; its ID never changes
 * @param caFile path of the CA certificate; undefined if there is no file
 * @param actions the actions of the project; undefined without --control
 */
export function projectCard(project, caFile, actions) {
  const titleId = `project-${project.id}`;
  const parts = {
    title: element("h3", { id: titleId }),
    mode: element("p", {}),
    verdict: element("p", { class: "verdict" }),
    clusters: element("div", { class: "clusters" }),
    rest: element("p", { class: "note" }),
  };
  const ids = element("dl", { class: "copies" }, copyEntry("Project ID", project.id, project.name));
  const controls = actions && projectControls(project, actions);
  const root = element(
    "article",
    { class: "panel project", "aria-labelledby": titleId },
    parts.title,
    element("div", { class: "mode" }, parts.mode, ...(controls ? [controls.switchMode] : [])),
    ...(controls ? [controls.error] : []),
    parts.verdict,
    ids,
    curlDetails(project, caFile),
    parts.clusters,
    parts.rest,
    ...(controls ? [element("div", { class: "buttons" }, controls.addCluster)] : []),
  );
  const updateClusters = keyedList(
    parts.clusters,
    ({ name }) => name,
    (cluster) => clusterCard(project, cluster, actions),
  );
  const update = (changed) => {
    setText(parts.title, `${changed.name} (${changed.organization})`);
    setText(parts.mode, `Private IP mode is ${changed.privateIpMode ? "on" : "off"}.`);
    setText(parts.verdict, verdictOf(changed));
    parts.verdict.className = `verdict ${changed.oldClusterCount === 0 ? "good" : "warning"}`;
    updateClusters(changed.clusters);
    const hidden = changed.clusterCount - changed.clusters.length;
    setText(parts.rest, restOf(changed, hidden));
    controls?.update(changed);
  };
  return { root, update };
}

/** Creates the details with the curl command. */
function curlDetails({ curl, name }, caFile) {
  const details = element("details", {}, element("summary", {}, "Try it with curl"));
  const key = "First set the variable CLOUDDB_PRIVATE_KEY to the private key in the seed";
  const ca = caFile === undefined ? ", and write the CA certificate to the file ca.pem." : ".";
  const note = curl ? key + ca : "No API key of the seed has a role in this project.";
  details.append(element("p", { class: "note" }, note));
  if (curl) {
    const entry = copyEntry("List the clusters", curl, name);
    details.append(element("dl", { class: "copies" }, entry));
  }
  return details;
}

/** Creates the buttons of a project, and the element for their errors. */
function projectControls({ name }, actions) {
  const current = { enabled: false };
  const error = element("p", { class: "error", role: "alert" });
  const switchMode = button("", "", () => void actions.setMode(!current.enabled, error));
  const addCluster = button("Add a cluster", `Add a cluster to ${name}`, () => actions.add(name));
  addCluster.className = "add-cluster";
  const update = ({ privateIpMode }) => {
    current.enabled = privateIpMode;
    const text = `Turn ${privateIpMode ? "off" : "on"}`;
    setText(switchMode, text);
    switchMode.setAttribute("aria-label", `${text} private IP mode`);
  };
  return { error, switchMode, addCluster, update };
}

/** Returns a sentence that says whether private IP mode can be disabled, and which clusters prevent it. */
function verdictOf({ privateIpMode, minimumVersion, oldClusterCount, oldClusters }) {
  if (oldClusterCount === 0) {
    return privateIpMode
      ? `It can be disabled: every cluster runs version ${minimumVersion} or later.`
      : `Every cluster runs version ${minimumVersion} or later.`;
  }
  const others = oldClusterCount - oldClusters.length;
  const names = oldClusters.map(({ name, version }) => `${name} runs ${version}`);
  const list = [
    ...names,
    ...(others > 0 ? [`${count(others, "other cluster")} below ${minimumVersion}`] : []),
  ];
  const reason = `${list.join(", ")}; version ${minimumVersion} or later is required.`;
  return privateIpMode
    ? `It cannot be disabled: ${reason}`
    : `If it is turned on, it cannot be disabled again: ${reason}`;
}

function restOf({ clusterCount }, hidden) {
  if (clusterCount === 0) return "The project has no clusters.";
  return hidden > 0 ? `${count(hidden, "more cluster")} not displayed.` : "";
}

/** Projects with more clusters show the strings of a cluster only on request. */
const maxOpenClusters = 8;

const stringLabels = {
  standard: "internet (hosts)",
  standardSrv: "internet",
  private: "peering (hosts)",
  privateSrv: "peering",
  legacy: "legacy (hosts)",
  legacySrv: "legacy",
};

/**
 * Creates the card of a cluster.
 *
 * @param project the project
 * @param cluster the cluster; its name never changes
 * @param actions opens the dialogs `change` and `remove`; undefined without --control
 */
function clusterCard(project, cluster, actions) {
  const titleId = `cluster-${project.id}-${cluster.name}`;
  const state = element("span", {});
  const facts = element("dl", { class: "facts" });
  const strings = element("dl", { class: "copies" });
  const summary = element("summary", {});
  const details = element("details", {}, summary, strings);
  details.open = project.clusterCount <= maxOpenClusters;
  const updateStrings = keyedList(
    strings,
    ([label, uri]) => `${label} ${uri}`,
    ([label, uri]) => ({ root: copyEntry(label, uri, cluster.name), update: () => undefined }),
  );
  const root = element(
    "article",
    { class: "cluster", "aria-labelledby": titleId },
    element("div", { class: "bar" }, element("h4", { id: titleId }, cluster.name), state),
    facts,
    details,
  );
  const current = { cluster };
  if (actions) {
    root.append(
      element(
        "div",
        { class: "buttons" },
        button("Change", `Change cluster ${cluster.name}`, () => actions.change(current.cluster)),
        button("Remove", `Remove cluster ${cluster.name}`, () =>
          actions.remove(current.cluster, root.closest(".project")),
        ),
      ),
    );
  }
  const update = (changed) => {
    current.cluster = changed;
    setText(state, changed.state);
    state.className = changed.state === "IDLE" ? "chip good" : "chip warning";
    facts.replaceChildren(...factEntries(changed));
    const labeled = labeledStrings(changed.strings);
    setText(summary, `Connection strings (${labeled.length})`);
    updateStrings(labeled);
  };
  return { root, update };
}

function factEntries(cluster) {
  const entries = [
    ["Version", cluster.version],
    ["Type", cluster.type],
    ["Provider", cluster.provider],
    [cluster.regions.length === 1 ? "Region" : "Regions", cluster.regions.join(", ")],
    ["Peering", cluster.peering ? "yes" : "no"],
    ...cluster.privateEndpoints.map(({ endpointId, region }) => [
      "Private endpoint",
      `${endpointId} in ${region}`,
    ]),
  ];
  return entries.map(([term, value]) =>
    element("div", {}, element("dt", {}, term), element("dd", {}, value)),
  );
}

/** Returns pairs of a label and a connection string for all strings of a cluster. */
function labeledStrings({ privateEndpoint = [], ...strings }) {
  return [
    ...Object.entries(strings).map(([kind, uri]) => [stringLabels[kind] ?? kind, uri]),
    ...privateEndpoint.flatMap((entry) => {
      const [{ endpointId }] = entry.endpoints;
      return [
        [`privateEndpoint ${endpointId} (hosts)`, entry.connectionString],
        [`privateEndpoint ${endpointId}`, entry.srvConnectionString],
        [`privateEndpoint ${endpointId} (optimized)`, entry.srvShardOptimizedConnectionString],
      ];
    }),
  ].filter(([, uri]) => uri !== undefined);
}
