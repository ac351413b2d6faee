/** The root of the API, with links to the top-level resources. */
import { entity, type Operation } from "../api/operation";

/** Operations on the root. */
export const rootOperations: Operation[] = [
  {
    name: "getRoot",
    summary: "Returns the root with links to the top-level resources",
    method: "GET",
    path: "",
    status: 200,
    entityName: "Root",
    list: false,
    scope: "service",
    handle: ({ service }) => entity(service.documents.root()),
  },
];
