/** The program of one stack, for manual `pulumi` commands in this folder. */
import { getStack } from "@pulumi/pulumi";
import { readFleet } from "./stackList";
import { deploy } from "./program";

const stack = readFleet().stacks.find(({ name }) => name === getStack());
if (stack === undefined) throw new Error(`fleet.json has no stack ${getStack()}`);

export const { urls } = deploy(stack);
