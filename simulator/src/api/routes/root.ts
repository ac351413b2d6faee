// The root of the API: from here, links lead to everything else.
import { entity, type Operation } from "../operation";

export const rootOperations: Operation[] = [
  {
    name: "getRoot",
    method: "GET",
    path: "",
    list: false,
    scope: "service",
    handle: ({ service }) => entity(service.documents.root()),
  },
];
