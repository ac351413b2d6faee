/** The controls of the page with --control: change, add and delete projects and clusters, reset. */
import { announce, setText, show } from "./elements.js";

/** What a new cluster starts with in the dialog. */
const newCluster = {
  name: "new-cluster",
  version: "8.0.4",
  provider: "A",
  regions: ["us-east-1"],
  peering: false,
  privateEndpoints: [],
};

/**
 * Adds the controls to the page.
 *
 * @param refresh updates the page
 * @returns the actions of a project, by its ID; `error` is the element for the error of an action
 */
export function addControls(refresh) {
  show(document.getElementById("controls"), "controls-template");
  show(document.body, "dialog-template");
  const openDialog = clusterDialog();
  const resetButton = document.getElementById("reset");

  /** Sends a request, updates the page, and confirms. */
  const act = async (confirmation, ...request) => {
    await control(...request);
    await refresh();
    announce(confirmation);
  };
  resetButton.addEventListener("click", () => {
    const lost =
      "The changes of projects and clusters, the faults and the recent requests are lost.";
    if (!confirm(`Restore the seed? ${lost}`)) return;
    void attempt(document.getElementById("controls-error"), () =>
      act("The simulator was reset.", "POST", "/reset", {}),
    );
  });

  return (projectId, error) => {
    const project = `/projects/${encodeURIComponent(projectId)}`;
    const pathOf = (name) => `${project}/clusters/${encodeURIComponent(name)}`;
    return {
      setMode: (enabled) =>
        attempt(error, () => {
          const confirmation = `Private IP mode is ${enabled ? "on" : "off"}.`;
          return act(confirmation, "PATCH", `${project}/privateIpMode`, { enabled });
        }),
      setVersion: (name, version) =>
        attempt(error, () => act(`${name} runs ${version}.`, "PATCH", pathOf(name), { version })),
      add: (projectName) => {
        openDialog(`Add a cluster to ${projectName}`, newCluster, (seed) =>
          act(`Added: ${seed.name}`, "POST", `${project}/clusters`, seed),
        );
      },
      edit: (name) =>
        attempt(error, async () => {
          const { version, hostName, ...others } = await control("GET", pathOf(name));
          // What people change most comes first.
          openDialog(`Edit cluster ${name}`, { version, hostName, ...others }, (seed) =>
            act(`Changed: ${name}`, "PUT", pathOf(name), seed),
          );
        }),
      deleteCluster: async (name, nextFocus) => {
        if (!confirm(`Delete cluster ${name}?`)) return;
        await attempt(error, () => act(`Deleted: ${name}`, "DELETE", pathOf(name)));
        nextFocus.focus();
      },
      deleteProject: async (name) => {
        if (!confirm(`Delete project ${name} and its clusters?`)) return;
        await attempt(error, () => act(`Deleted: ${name}`, "DELETE", project));
        resetButton.focus();
      },
    };
  };
}

/** Edits a cluster as JSON. The dialog closes when the cluster is saved, and shows the error if that fails. */
function clusterDialog() {
  const dialog = document.getElementById("cluster-dialog");
  const form = dialog.querySelector("form");
  const error = dialog.querySelector("[role=alert]");
  const opened = { save: undefined };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const saved = await attempt(error, () => opened.save(parseJson(form.elements.seed.value)));
    if (saved) dialog.close();
  });
  document.getElementById("cluster-dialog-cancel").addEventListener("click", () => dialog.close());
  return (title, cluster, save) => {
    setText(document.getElementById("cluster-dialog-title"), title);
    setText(error, "");
    const { seed } = form.elements;
    seed.value = JSON.stringify(cluster, undefined, 2);
    opened.save = save;
    dialog.showModal();
    seed.setSelectionRange(0, 0);
    seed.scrollTop = 0;
  };
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch (problem) {
    throw new Error(`The text is not JSON: ${problem.message}`, { cause: problem });
  }
}

/** Runs the work of a control, and shows its error. Returns whether the work succeeded. */
async function attempt(error, work) {
  setText(error, "");
  try {
    await work();
    return true;
  } catch (problem) {
    setText(error, problem.message);
    return false;
  }
}

/** Sends a request to /control, and returns the response. Throws an error with the reason if it fails. */
async function control(method, path, body) {
  const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(`/control${path}`, { method, ...(body === undefined ? {} : json) });
  } catch {
    throw new Error("The simulator cannot be reached. Check that it is running.");
  }
  const result = await response.json().catch(() => ({}));
  if (response.ok) return result;
  throw new Error(result.detail ?? `The simulator responded with status ${response.status}.`);
}
