/**
 * Compares the simulator's exported types with the schemas that validate their values. `npm run lint`
 * checks this file.
 */
import { expectTypeOf } from "expect-type";
import type { z } from "zod";
import type * as simulator from "../../../simulator/src";
import type { connectionStringsSchema } from "../../../simulator/src/connectionStrings";
import type { settingsSchema } from "../../../simulator/src/seed/settings";
import type { seedSchema } from "../../../simulator/src/seed/seed";
import type { faultSchema } from "../../../simulator/src/server/faults";

describe("the exported types of the simulator", () => {
  it("describe exactly the seeds that the schema accepts", () => {
    expectTypeOf<z.input<typeof seedSchema>>().toEqualTypeOf<simulator.Seed>();
  });

  it("describe exactly the settings that the schema accepts", () => {
    expectTypeOf<z.input<typeof settingsSchema>>().toEqualTypeOf<simulator.SimulatorSettings>();
  });

  it("describe exactly the faults that the schema accepts", () => {
    expectTypeOf<z.input<typeof faultSchema>>().toEqualTypeOf<simulator.Fault>();
  });

  it("describe exactly the connection strings of the schema", () => {
    type Strings = z.output<typeof connectionStringsSchema>;
    expectTypeOf<Immutable<Strings>>().toEqualTypeOf<simulator.ConnectionStrings>();
  });
});

/** Makes all fields and arrays in a type read-only. */
type Immutable<T> = T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;
