/** Measures `require("pulumi-clouddb")` in a program that has loaded @pulumi/pulumi. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { benchFolder } from "./packed";
import { median } from "../statistics";

/** The time that a program needs to load the packages. */
export interface ProgramResult {
  readonly runs: number;
  /** Medians, in milliseconds. */
  readonly pulumi: number;
  readonly clouddb: number;
  /** The modules that pulumi-clouddb loads. */
  readonly modules: number;
}

const program = `
const timed = (name) => {
  const start = performance.now();
  require(name);
  return performance.now() - start;
};
const pulumi = timed("@pulumi/pulumi");
const before = Object.keys(require.cache).length;
const clouddb = timed("pulumi-clouddb");
console.log(JSON.stringify({ pulumi, clouddb, modules: Object.keys(require.cache).length - before }));
`;

/** Measures the load in new processes. */
export async function measureProgram(runs: number): Promise<ProgramResult> {
  const samples: ProgramResult[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", program], {
      cwd: benchFolder,
    });
    if (run > 0) samples.push(JSON.parse(stdout) as ProgramResult);
  }
  const medianOf = (key: "pulumi" | "clouddb" | "modules") => median(samples.map((s) => s[key]));
  return {
    runs,
    pulumi: medianOf("pulumi"),
    clouddb: medianOf("clouddb"),
    modules: medianOf("modules"),
  };
}
