// The root of the API: from here, links lead to everything else.
import { entity, type Operation } from "../operation";

export const rootOperations: Operation[] = [
  {
    name: "getRoot",
    summary: "The root, with links to everything else",
    method: "GET",
    path: "",
    status: 200,
    answers: "Root",
    list: false,
    scope: "service",
    handle: ({ service }) => entity(service.documents.root()),
  },
];
