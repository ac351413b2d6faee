import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();

// For example organization/clouddb-app-config/production.
const database = new pulumi.StackReference(config.require("databaseStack"));

// An output that is secret in the other stack is also secret here.
const databaseUrl = database.requireOutput("DATABASE_URL");

// A real stack would pass these as environment variables to its container or function.
const environment = new pulumi.Stash("environment", { input: { DATABASE_URL: databaseUrl } });

export const deployed = environment.output;
export const databaseVersion = database.requireOutput("DATABASE_VERSION");
