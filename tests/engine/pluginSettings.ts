import { packedPlugin } from "../lifecycles/packedPlugin";

/** Returns the lines of Pulumi.yaml that name the folder of the packed plugin. */
export function pluginSettings(): string {
  return `plugins:\n  providers:\n    - name: clouddb\n      path: ${packedPlugin()}\n`;
}
