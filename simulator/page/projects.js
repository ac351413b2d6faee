/** The cards of projects and clusters. */
import { button, copyEntry, count, element, keyedList, setText } from "./elements.js";

/**
 * Creates the card of a project.
 *
 * @param project the project; its ID never changes
 * @param actionsOf returns the actions of a project; undefined without --control
 */
export function projectCard(project, actionsOf) {
  const titleId = `project-${project.id}`;
  const parts = {
    title: element("h3", { id: titleId }),
    mode: element("p", {}),
    error: element("p", { class: "error", role: "alert" }),
    verdict: element("p", { class: "verdict" }),
    clusters: element("div", { class: "clusters" }),
    rest: element("p", { class: "note" }),
  };
  const actions = actionsOf?.(project.id, parts.error);
  const buttons = actions && projectButtons(project, actions);
  const root = element(
    "article",
    { class: "panel project", "aria-labelledby": titleId },
    parts.title,
    element("div", { class: "mode" }, parts.mode, ...(buttons ? [buttons.switchMode] : [])),
    parts.error,
    parts.verdict,
    element("dl", { class: "copies" }, copyEntry("Project ID", project.id, project.name)),
    parts.clusters,
    parts.rest,
    ...(buttons
      ? [element("div", { class: "buttons" }, buttons.addCluster, buttons.deleteProject)]
      : []),
  );
  const updateClusters = keyedList(
    parts.clusters,
    ({ name }) => name,
    (cluster) => clusterCard(project, cluster, actions, buttons?.addCluster),
  );
  const update = (changed) => {
    setText(parts.title, `${changed.name} (${changed.organization})`);
    setText(parts.mode, `Private IP mode is ${changed.privateIpMode ? "on" : "off"}.`);
    setText(parts.verdict, verdictOf(changed));
    parts.verdict.className = `verdict ${changed.oldClusterCount === 0 ? "good" : "warning"}`;
    updateClusters(changed.clusters);
    const hidden = changed.clusterCount - changed.clusters.length;
    setText(parts.rest, restOf(changed, hidden));
    buttons?.update(changed);
  };
  return { root, update };
}

function projectButtons({ name }, actions) {
  const current = { enabled: false };
  const switchMode = button("", "", () => void actions.setMode(!current.enabled));
  const deleteLabel = `Delete project ${name}`;
  const update = ({ privateIpMode }) => {
    current.enabled = privateIpMode;
    const text = `Turn ${privateIpMode ? "off" : "on"}`;
    setText(switchMode, text);
    switchMode.setAttribute("aria-label", `${text} private IP mode of ${name}`);
  };
  return {
    switchMode,
    addCluster: button("Add a cluster", `Add a cluster to ${name}`, () => actions.add(name)),
    deleteProject: button("Delete project", deleteLabel, () => void actions.deleteProject(name)),
    update,
  };
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

/**
 * Creates the card of a cluster.
 *
 * @param project the project
 * @param cluster the cluster; its name never changes
 * @param actions the actions of the project; undefined without --control
 * @param nextFocus the button that gets the focus after the cluster is deleted
 */
function clusterCard(project, { name }, actions, nextFocus) {
  const titleId = `cluster-${project.id}-${name}`;
  const state = element("span", {});
  const version = actions && versionField(name, actions);
  const facts = element("dl", { class: "facts" });
  const strings = element("dl", { class: "copies" });
  const summary = element("summary", {});
  const updateStrings = keyedList(
    strings,
    ([label, uri]) => `${label} ${uri}`,
    ([label, uri]) => ({ root: copyEntry(label, uri, name), update: () => undefined }),
  );
  const root = element(
    "article",
    { class: "cluster", "aria-labelledby": titleId },
    element("div", { class: "bar" }, element("h4", { id: titleId }, name), state),
    ...(version ? [version.root] : []),
    facts,
    element("details", {}, summary, strings),
  );
  if (actions) {
    const editButton = button("Edit", `Edit cluster ${name}`, () => void actions.edit(name));
    const deleteButton = button("Delete", `Delete cluster ${name}`, () => {
      void actions.deleteCluster(name, nextFocus);
    });
    root.append(element("div", { class: "buttons" }, editButton, deleteButton));
  }
  const update = (changed) => {
    setText(state, changed.state);
    state.className = changed.state === "IDLE" ? "chip good" : "chip warning";
    version?.update(changed.version);
    facts.replaceChildren(...factEntries(changed, version === undefined));
    const labeled = labeledStrings(changed.strings);
    setText(summary, `Connection strings (${labeled.length})`);
    updateStrings(labeled);
  };
  return { root, update };
}

/** The versions that one click selects. */
const versions = ["8.0.4", "7.0.12", "6.0.5", "5.0.1"];

/** Creates the field that shows and changes the version of a cluster. */
function versionField(name, actions) {
  const select = element("select", { "aria-label": `Version of ${name}` });
  select.addEventListener("change", () => void actions.setVersion(name, select.value));
  const update = (version) => {
    const offered = versions.includes(version) ? versions : [version, ...versions];
    select.replaceChildren(...offered.map((each) => element("option", {}, each)));
    select.value = version;
  };
  return { root: element("label", { class: "version" }, "Version", select), update };
}

/** The clouds of the service's providers. */
const clouds = { A: "AWS", B: "Azure", C: "Google Cloud" };

function factEntries(cluster, withVersion) {
  const entries = [
    ...(withVersion ? [["Version", cluster.version]] : []),
    ["Type", cluster.type],
    ["Provider", `${cluster.provider} (${clouds[cluster.provider]})`],
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

const stringLabels = {
  standard: "internet, hosts",
  standardSrv: "internet, SRV",
  private: "peering, hosts",
  privateSrv: "peering, SRV",
  legacy: "legacy, hosts",
  legacySrv: "legacy, SRV",
};

/** Returns pairs of a label and a connection string for all strings of a cluster. */
function labeledStrings({ privateEndpoint = [], ...strings }) {
  return [
    ...Object.entries(strings).map(([kind, uri]) => [stringLabels[kind] ?? kind, uri]),
    ...privateEndpoint.flatMap((entry) => {
      const label = `privateEndpoint ${entry.endpoints[0].endpointId}`;
      return [
        [`${label}, hosts`, entry.connectionString],
        [`${label}, SRV`, entry.srvConnectionString],
        [`${label}, optimized SRV`, entry.srvShardOptimizedConnectionString],
      ];
    }),
  ].filter(([, uri]) => uri !== undefined);
}
