/**
 * Exports zod/mini, which loads in half the time (docs/internals/decisions/0010-bundled-runtime.md), with English
 * messages unless the process has configured others.
 */
import { en } from "zod/locales";
import { config } from "zod/mini";

if (config().localeError === undefined) config(en());

export * from "zod/mini";
