/** Reads `pulumi stack export`: where properties come from, and where the program declares each resource. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { parseJson } from "../../validation/values";
import type { Position } from "../model";
import { type ResourceName, parseUrn, urnSchema } from "../resourceNames";
import { type Properties, decoded } from "../values";
import { properties, texts } from "./events";
import { readTextFile } from "./files";

/** A resource in the state. */
export interface StateResource extends ResourceName {
  readonly properties: Properties;
  /** The URNs of the resources from which its properties come, and of its provider, which can receive a value, too. */
  readonly sources: readonly string[];
  /** The URNs of the resources after which it is updated: those of its properties, of `dependsOn`, and its parent. */
  readonly dependencies: readonly string[];
  /** The URN of its provider. */
  readonly provider: string | undefined;
  /** Whether it is a custom resource, and not a component. */
  readonly isCustom: boolean;
  /** The frames of the stack trace of its declaration in the last update, innermost first. */
  readonly frames: readonly Position[];
}

const frame = z.object({ sourcePosition: z.optional(z.string()) });
const resourceSchema = z.object({
  urn: urnSchema,
  custom: z.optional(z.boolean()),
  parent: z.optional(z.string()),
  inputs: properties,
  outputs: properties,
  dependencies: texts,
  propertyDependencies: z.nullish(z.record(z.string(), texts)),
  provider: z.optional(z.string()),
  sourcePosition: z.optional(z.string()),
  stackTrace: z.nullish(z.array(frame)),
});
const exportSchema = z.object({
  deployment: z.nullable(z.object({ resources: z.nullish(z.array(resourceSchema)) })),
});

type Resource = z.infer<typeof resourceSchema>;

/** Reads an export; `name` is that of its file in messages. */
export function readStackExport(text: string, name: string): StateResource[] {
  const { deployment } = parseJson(text, exportSchema, name);
  return (deployment?.resources ?? []).map((resource) => ({
    ...parseUrn(resource.urn),
    properties: { ...resource.inputs, ...resource.outputs },
    ...dependenciesOf(resource),
    isCustom: resource.custom === true,
    frames: framesOf(resource),
  }));
}

/** Returns on what a resource depends. Its own list also has what only `dependsOn` names, from which no value comes. */
function dependenciesOf({ inputs, parent, ...resource }: Resource) {
  const { dependencies, propertyDependencies } = resource;
  const ofProperties = Object.values(propertyDependencies ?? {}).flatMap((urns) => urns ?? []);
  const all = [...(dependencies ?? []), ...ofProperties];
  const hasInputs = Object.keys(inputs ?? {}).length > 0;
  // A state has no empty map, and older ones have no map.
  const values = propertyDependencies ? ofProperties : hasInputs ? all : [];
  // Written as `<URN>::<ID>`.
  const provider = resource.provider?.replace(/::[^:]*$/, "") || undefined;
  return {
    sources: provider === undefined ? values : [...values, provider],
    dependencies: parent === undefined ? all : [...all, parent],
    provider,
  };
}

/** Returns where the program declares a resource, and what called that. */
function framesOf({ sourcePosition, stackTrace }: Resource): Position[] {
  return [{ sourcePosition }, ...(stackTrace ?? [])].flatMap((place) => {
    const [, path = "", line] =
      /^project:\/\/\/([^#]+)#(\d+)/.exec(place.sourcePosition ?? "") ?? [];
    return path === "" ? [] : [{ file: decoded(path), line: Number(line) }];
  });
}

/** How many lines a declaration takes at most from its start to the name of the resource. */
const maxLinesToName = 3;

/**
 * Keeps the frames whose lines contain the name of the resource. The others are of the program of the last update,
 * which may have changed since.
 *
 * @param folder of the Pulumi project
 */
export function withPresentFrames(
  state: readonly StateResource[],
  folder: string,
): StateResource[] {
  const files = new Map<string, readonly string[]>();
  const linesIn = (name: string) => {
    const file = join(folder, name);
    const lines = files.get(file) ?? (existsSync(file) ? readTextFile(file).split(/\r?\n/) : []);
    files.set(file, lines);
    return lines;
  };
  return state.map((resource) => ({
    ...resource,
    frames: resource.frames.filter(({ file, line }) => {
      const start = linesIn(file).slice(line - 1, line - 1 + maxLinesToName);
      return start.some((text) => text.includes(resource.name));
    }),
  }));
}
