/** Opens dialogs with a form. */
import { setText } from "./elements.js";

/**
 * Runs the work of a control, and shows its error beside the control.
 *
 * @param error the element for the error
 * @param work the work
 * @returns whether the work succeeded
 */
export async function attempt(error, work) {
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
export function formDialog(id) {
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
