// @ts-check
/** Copies the engine without what the demo and the tests do not use, which takes a third of its build. */
import fs from "node:fs";
import path from "node:path";

/** @param {string} name the function that reads the logs of a cloud */
const withoutLogs = (name) => `package operations

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
)

func ${name}(context.Context, map[config.Key]string, *Resource) (Provider, error) {
	return nil, errors.New("this build of the Pulumi CLI does not include cloud logs")
}
`;

/**
 * New contents, or patterns and their replacements.
 * @type {Record<string, string | [RegExp, string][]>}
 */
const changes = {
  "operations/operations_aws.go": withoutLogs("AWSOperationsProvider"),
  "operations/operations_gcp.go": withoutLogs("GCPOperationsProvider"),
  "authhelpers/gcpauth.go": "package authhelpers\n",
  "backend/diy/backend.go": [
    [/^.*pkg\/v3\/authhelpers"\n/m, ""],
    [/^.*"gocloud\.dev\/blob\/azureblob".*\n/m, ""],
    [/^.*"gocloud\.dev\/blob\/gcsblob".*\n/m, ""],
    [/^\tif p\.Scheme == gcsblob[^]*?^\t}\n/m, ""],
    [/^\tif p\.Scheme == azureblob[^]*?^\t}\n/m, ""],
  ],
  "secrets/cloud/manager.go": [
    [/^.*pkg\/v3\/authhelpers"\n/m, ""],
    [/^.*"gocloud\.dev\/secrets\/(awskms|azurekeyvault|gcpkms|hashivault)".*\n/gm, ""],
    [/^.*"google\.golang\.org\/api\/cloudkms\/v1"\n/m, ""],
    [/^.*netUrl "net\/url"\n/m, ""],
    [/^\tu, err := netUrl[^]*?^}\n/m, "\treturn gosecrets.OpenKeeper(ctx, url)\n}\n"],
  ],
};

/**
 * @param {string} module the folder of the module
 * @param {string} copy the folder to create
 * @throws if the module has other sources than expected
 */
export function shorten(module, copy) {
  for (const entry of fs.readdirSync(module, { recursive: true, withFileTypes: true })) {
    const source = path.join(entry.parentPath, entry.name);
    const name = path.relative(module, source).replaceAll(path.sep, "/");
    if (!entry.isFile() || /_test\.go$|(^|\/)testdata\//.test(name)) continue;
    const file = path.join(copy, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const change = changes[name];
    if (change === undefined) fs.copyFileSync(source, file);
    else if (typeof change === "string") fs.writeFileSync(file, change);
    else fs.writeFileSync(file, change.reduce(replace, fs.readFileSync(source, "utf8")));
  }
}

/**
 * @param {string} source
 * @param {[RegExp, string]} change
 */
function replace(source, [pattern, replacement]) {
  if (source.search(pattern) < 0)
    throw new Error(`The sources of the CLI do not contain ${pattern}.`);
  return source.replace(pattern, replacement);
}
