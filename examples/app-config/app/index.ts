import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();

// For example organization/clouddb-app-config/production.
const database = new pulumi.StackReference(config.require("databaseStack"));

// A secret of the one stack is a secret of the other.
const databaseUrl = database.requireOutput("DATABASE_URL");

// What a real stack gives to its container or function as environment.
const environment = new pulumi.Stash("environment", { input: { DATABASE_URL: databaseUrl } });

export const deployed = environment.output;
export const databaseVersion = database.requireOutput("DATABASE_VERSION");
