/** The controls of the page with --control: change projects and clusters, inject faults, advance the clock, reset. */
import { announce, setText, show } from "./elements.js";

/**
 * Adds the controls to the page.
 *
 * @param refresh updates the page
 * @returns the actions of a project, by its ID
 */
export function addControls(refresh) {
  show(document.getElementById("controls"), "controls-template");
  show(document.body, "dialogs-template");

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
  const { effect, status, delayMs } = document.querySelector("#add-fault form").elements;
  const showFields = () => {
    status.disabled = effect.value !== "status";
    delayMs.required = effect.value === "delay";
  };
  effect.addEventListener("change", showFields);
  document.getElementById("inject-fault").addEventListener("click", () => {
    open({
      fill: showFields,
      submit: ({ times, method, pathPattern }) => {
        const effects = {
          status: { status: Number(status.value) },
          resetBefore: { reset: true },
          resetAfter: { reset: "after" },
          truncate: { truncate: true },
        };
        const fault = {
          ...effects[effect.value],
          ...(delayMs.value === "" ? {} : { delayMs: Number(delayMs.value) }),
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

/**
 * Runs the work of a control, and shows its error beside the control.
 *
 * @param error the element for the error
 * @param work the work
 * @returns whether the work succeeded
 */
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

/**
 * Prepares a dialog. It closes when its work is done, and shows the error if the work fails.
 *
 * @param id the ID of the dialog
 * @returns a function that opens the dialog: `fill` fills in the form first, `submit` does the work
 */
function formDialog(id) {
  const dialog = document.getElementById(id);
  const form = dialog.querySelector("form");
  const error = dialog.querySelector("[role=alert]");
  const opened = { submit: undefined };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await attempt(error, () => opened.submit(form.elements))) dialog.close();
  });
  dialog.querySelector("[data-closes]").addEventListener("click", () => dialog.close());
  return ({ fill = () => undefined, submit }) => {
    form.reset();
    setText(error, "");
    fill(form.elements);
    opened.submit = submit;
    dialog.showModal();
  };
}

/**
 * Sends a request to /control.
 *
 * @param method the HTTP method
 * @param path the path below /control
 * @param body sent as JSON; undefined for no body
 * @throws an error with the reason if the request fails
 */
async function sendControl(method, path, body) {
  const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(`/control${path}`, { method, ...(body === undefined ? {} : json) });
  } catch {
    throw new Error("The simulator cannot be reached. Check that it is running.");
  }
  if (response.ok) return;
  const { detail } = await response.json().catch(() => ({}));
  throw new Error(detail ?? `The simulator responded with status ${response.status}.`);
}

/** Returns the path of a cluster, or of all clusters of a project. */
function clusterPath(projectId, name) {
  const clusters = `/projects/${encodeURIComponent(projectId)}/clusters`;
  return name === undefined ? clusters : `${clusters}/${encodeURIComponent(name)}`;
}
