/** The controls of the page with --control: change projects and clusters, inject faults, advance the clock, reset. */
import { clusterPath, sendControl } from "./control.js";
import { announce } from "./copying.js";
import { attempt, formDialog } from "./dialogs.js";
import { setText } from "./elements.js";

/**
 * Adds the controls to the page.
 *
 * @param refresh updates the page
 * @returns the actions of a project, by its ID
 */
export function addControls(refresh) {
  const clone = (id) => document.getElementById(id).content.cloneNode(true);
  document.getElementById("controls").append(clone("controls-template"));
  document.body.append(clone("dialogs-template"));

  /** Sends a request, updates the page, and confirms. */
  const act = async (confirmation, ...request) => {
    await sendControl(...request);
    await refresh();
    announce(confirmation);
  };
  const dialogs = {
    change: formDialog("change-cluster"),
    add: formDialog("add-cluster"),
    fault: formDialog("add-fault"),
    confirm: confirmationDialog(),
  };
  addClock(act);
  addFaults(act, dialogs.fault);
  document.getElementById("reset").addEventListener("click", () => {
    dialogs.confirm({
      title: "Reset the simulator?",
      text:
        "This restores the projects and clusters of the seed and the clock, and removes faults, " +
        "access tokens and the recent requests.",
      action: "Reset",
      submit: () => act("The simulator was reset.", "POST", "/reset", {}),
    });
  });
  return (projectId) => projectActions(projectId, act, dialogs);
}

function projectActions(projectId, act, { change, add, confirm }) {
  return {
    setMode: (enabled, error) =>
      attempt(error, () =>
        act(
          `Private IP mode is ${enabled ? "on" : "off"}.`,
          "PATCH",
          `/projects/${encodeURIComponent(projectId)}/privateIpMode`,
          { enabled },
        ),
      ),
    add: (projectName) => {
      setText(document.getElementById("add-cluster-title"), `Add a cluster to ${projectName}`);
      add({
        submit: (fields) => {
          const cluster = newCluster(fields);
          return act(`Added: ${cluster.name}`, "POST", clusterPath(projectId), cluster);
        },
      });
    },
    change: (cluster) => {
      const { name } = cluster;
      setText(document.getElementById("change-cluster-title"), `Change cluster ${name}`);
      change({
        fill: (fields) => {
          fields.version.value = cluster.version;
          fields.state.value = cluster.state;
          fields.peering.checked = cluster.peering;
        },
        submit: (fields) =>
          act(`Changed: ${name}`, "PATCH", clusterPath(projectId, name), changes(fields, cluster)),
      });
    },
    remove: ({ name }, projectElement) => {
      confirm({
        title: `Remove cluster ${name}?`,
        text: "The cluster is removed immediately.",
        action: "Remove",
        submit: async () => {
          await act(`Removed: ${name}`, "DELETE", clusterPath(projectId, name));
          // The button that opened the dialog is gone.
          setTimeout(() => projectElement.querySelector(".add-cluster").focus());
        },
      });
    },
  };
}

/** Returns the fields that differ from the cluster: a new state would reset its pending strings. */
function changes({ version, state, peering }, cluster) {
  const values = {
    version: completeVersion(version.value),
    state: state.value,
    peering: peering.checked,
  };
  return Object.fromEntries(
    Object.entries(values).filter(([field, value]) => value !== cluster[field]),
  );
}

function newCluster({ name, version, type, provider, regions, peering }) {
  return {
    name: name.value.trim(),
    version: completeVersion(version.value),
    type: type.value,
    provider: provider.value,
    regions: regions.value.split(",").map((region) => region.trim()),
    peering: peering.checked,
  };
}

/** Completes a version without a patch number: `6.0` is `6.0.0`. */
function completeVersion(text) {
  const version = text.trim();
  return /^\d+\.\d+$/.test(version) ? `${version}.0` : version;
}

function addClock(act) {
  const form = document.getElementById("clock-form");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { amount, unit } = form.elements;
    const advanceSeconds = Number(amount.value) * Number(unit.value);
    void attempt(form.querySelector("[role=alert]"), () =>
      act("The clock was advanced.", "POST", "/clock", { advanceSeconds }),
    );
  });
}

function addFaults(act, open) {
  const inject = document.getElementById("inject-fault");
  inject.addEventListener("click", () => {
    open({
      submit: ({ status, times, method, pathPattern }) => {
        const fault = {
          status: Number(status.value),
          times: Number(times.value),
          ...(method.value === "" ? {} : { method: method.value }),
          ...(pathPattern.value === "" ? {} : { pathPattern: pathPattern.value }),
        };
        return act("The fault was injected.", "POST", "/faults", [fault]);
      },
    });
  });
  document.getElementById("remove-faults").addEventListener("click", () => {
    void attempt(document.getElementById("controls-error"), () =>
      act("All faults were removed.", "DELETE", "/faults"),
    );
  });
}

/** Prepares the dialog that asks for confirmation before data is lost. */
function confirmationDialog() {
  const open = formDialog("confirmation");
  return ({ title, text, action, submit }) => {
    setText(document.getElementById("confirmation-title"), title);
    setText(document.getElementById("confirmation-text"), text);
    setText(document.getElementById("confirmation-button"), action);
    open({ submit });
  };
}
