/** The program of one stack, for `pulumi` commands in this folder. */
import { getStack } from "@pulumi/pulumi";
import { deploy } from "./program";
import { stacks } from "./stacks";

const stack = stacks.find(({ name }) => name === getStack());
if (stack === undefined) throw new Error(`stacks.ts has no stack ${getStack()}`);

export const { urls } = deploy(stack);
