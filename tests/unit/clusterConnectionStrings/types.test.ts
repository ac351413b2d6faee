/** Tests the public types as a program sees them. `npm run lint` checks them. */
import * as pulumi from "@pulumi/pulumi";
import { expectTypeOf } from "expect-type";
import type * as clouddb from "pulumi-clouddb";
import type { outputs } from "../../../provider/src/clusterConnectionStrings/outputs";
import type { outputs as urlOutputs } from "../../../provider/src/databaseUrl/outputs";

type Text = pulumi.Output<string | undefined>;
type Strings = clouddb.ClusterConnectionStrings;
type OutputArgs = clouddb.GetConnectionStringsOutputArgs;
type ResourceArgs = clouddb.ClusterConnectionStringsArgs;
type Arguments = OutputArgs & ResourceArgs;

describe("the types of a lookup", () => {
  it("accept outputs in every argument", () => {
    expectTypeOf<pulumi.Output<string>>().toExtend<Arguments["projectId"]>();
    expectTypeOf<Promise<string>>().toExtend<Arguments["clusterName"]>();
    expectTypeOf<pulumi.Output<"srv">>().toExtend<Arguments["form"]>();
    expectTypeOf<pulumi.Output<boolean>>().toExtend<Arguments["optimized"]>();
    expectTypeOf<pulumi.Output<number>>().toExtend<ResourceArgs["waitSeconds"]>();
    expectTypeOf<pulumi.Output<clouddb.Network>>().toExtend<Arguments["network"]>();
    expectTypeOf<undefined>().toExtend<Arguments["network"]>();
  });

  it("accept outputs in every field of a network", () => {
    const kind = "privateEndpoint" as const;
    const text = pulumi.output("text");
    expectTypeOf({ kind, endpointId: text }).toExtend<Arguments["network"]>();
    expectTypeOf({ kind, region: text }).toExtend<Arguments["network"]>();
    expectTypeOf({ kind: pulumi.output("peering" as const) }).toExtend<clouddb.NetworkArgs>();
  });

  it("refuse a misspelled network", () => {
    expectTypeOf<{ kind: "vpn" }>().not.toExtend<clouddb.NetworkArgs>();
    expectTypeOf<{ kind: "privateEndpoint"; region: number }>().not.toExtend<clouddb.NetworkArgs>();
  });

  it("accept options of a DatabaseUrl that a configuration may lack", () => {
    const options = { replicaSet: new pulumi.Config().get("replicaSet") };
    expectTypeOf(options).toExtend<clouddb.DatabaseUrlArgs["options"]>();
    const list = { readPreferenceTags: [pulumi.output("a:b"), ""] };
    expectTypeOf(list).toExtend<clouddb.DatabaseUrlArgs["options"]>();
  });

  it("list each output of the resource and of a DatabaseUrl", () => {
    type OutputsOf<Resource> = Exclude<keyof Resource, keyof pulumi.CustomResource>;
    expectTypeOf<(typeof outputs)[number]>().toEqualTypeOf<OutputsOf<Strings>>();
    expectTypeOf<(typeof urlOutputs)[number]>().toEqualTypeOf<OutputsOf<clouddb.DatabaseUrl>>();
  });

  it("refuse outputs in the arguments of the function that returns a promise", () => {
    type PlainArgs = clouddb.GetConnectionStringsArgs;
    expectTypeOf<pulumi.Output<string>>().not.toExtend<PlainArgs["projectId"]>();
  });

  it("give each output of the resource the type of the function's result", () => {
    type Kind = clouddb.ConnectionStringKind;
    type Endpoints = clouddb.PrivateEndpointStrings[];
    expectTypeOf<Strings["recommended"]>().toEqualTypeOf<pulumi.Output<string>>();
    expectTypeOf<Strings["recommendedKind"]>().toEqualTypeOf<pulumi.Output<Kind>>();
    expectTypeOf<Strings["standardSrv"]>().toEqualTypeOf<Text>();
    expectTypeOf<Strings["privateEndpoints"]>().toEqualTypeOf<pulumi.Output<Endpoints>>();
    expectTypeOf<keyof clouddb.GetConnectionStringsResult>().toExtend<keyof Strings>();
  });
});
