/**
 * zod in its small form, which loads in half the time (docs/decisions/0010-bundled-runtime.md), with
 * messages in English where the process that uses it has set no others.
 */
import { en } from "zod/locales";
import { config } from "zod/mini";

if (config().localeError === undefined) config(en());

export * from "zod/mini";
