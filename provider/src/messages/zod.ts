/** Exports zod/mini, which loads in half the time (docs/internals/decisions/0010-bundled-runtime.md). */
export * from "zod/mini";
