/** Gives tests access to a project in the store. */
import type { ProjectControl } from "./projectControl";
import type { Project } from "./store/project";
import { missingCluster, missingProject } from "./store/serviceError";
import type { Store } from "./store/store";

/**
 * Creates access to a project.
 *
 * @param store the store
 * @param id the project ID
 * @returns access to the project
 * @throws ServiceError if there is no project with this ID
 */
export function createProjectControl(store: Store, id: string): ProjectControl {
  const project = (): Project => {
    const found = store.project(id);
    if (!found) throw missingProject(id);
    return found;
  };
  project();
  return {
    id,
    get name() {
      return project().name;
    },
    get privateIpMode() {
      return project().privateIpMode;
    },
    get clusters() {
      return project().clusters;
    },
    setPrivateIpMode: (enabled) => {
      store.setPrivateIpMode(id, enabled);
    },
    cluster: (name) => {
      const found = store.cluster(project().id, name);
      if (!found) throw missingCluster(id, name);
      return found;
    },
    addCluster: (cluster) => store.addCluster(id, cluster),
    updateCluster: (name, change) => store.updateCluster(id, name, change),
    removeCluster: (name) => {
      store.removeCluster(id, name);
    },
  };
}
