/** The module `pulumi-clouddb/connection-strings`: the package clouddb-connection-strings. */
export * from "clouddb-connection-strings";
