import { projectId } from "../service";

/** A program that disables private IP mode, and restores it when the resource is deleted. */
export const restoringMode = (name: string, options = "{}") =>
  `new clouddb.PrivateIpMode("${name}", { projectId: "${projectId}", enabled: false, onDelete: "restore" }, ${options});`;
