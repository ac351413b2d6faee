/** The card of a cluster. */
import { copyEntry } from "./copying.js";
import { button, element, setText } from "./elements.js";
import { keyedList } from "./keyedList.js";

/** Projects with more clusters show the strings of a cluster only on request. */
const maxOpenClusters = 8;

const stringLabels = {
  standard: "Standard",
  standardSrv: "Standard, SRV",
  private: "Private IP for Peering",
  privateSrv: "Private IP for Peering, SRV",
  legacy: "Legacy",
  legacySrv: "Legacy, SRV",
};

/**
 * Creates the card of a cluster.
 *
 * @param project the project
 * @param cluster the cluster; its name never changes
 * @param actions opens the dialogs `change` and `remove`; undefined without --control
 */
export function clusterCard(project, cluster, actions) {
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
        [`Private endpoint ${endpointId}`, entry.connectionString],
        [`Private endpoint ${endpointId}, SRV`, entry.srvConnectionString],
        [`Private endpoint ${endpointId}, optimized SRV`, entry.srvShardOptimizedConnectionString],
      ];
    }),
  ].filter(([, uri]) => uri !== undefined);
}
