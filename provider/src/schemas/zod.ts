/** Exports zod/mini, which loads in half the time (docs/internals/decisions.md#0010-bundled-runtime). */
export * from "zod/mini";
