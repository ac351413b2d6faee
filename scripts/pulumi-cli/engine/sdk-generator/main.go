// Generates the SDKs of a package from its schema, as `pulumi package add` does with a CLI that has all
// language hosts: sdk-generator SCHEMA OUT writes OUT/nodejs, OUT/python and OUT/go.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const generator = "pulumi-clouddb"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sdk-generator SCHEMA OUT")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(schemaFile, out string) error {
	nodejsPackage, err := bind(schemaFile)
	if err != nil {
		return err
	}
	nodejsFiles, err := nodejs.GeneratePackage(generator, nodejsPackage, nil, nil, false, nil)
	if err != nil {
		return err
	}
	if err := write(filepath.Join(out, "nodejs"), nodejsFiles); err != nil {
		return err
	}
	// A generator changes the package that it is given.
	pythonPackage, err := bind(schemaFile)
	if err != nil {
		return err
	}
	pythonFiles, err := python.GeneratePackage(generator, pythonPackage, nil, nil)
	if err != nil {
		return err
	}
	if err := write(filepath.Join(out, "python"), pythonFiles); err != nil {
		return err
	}
	goPackage, err := bind(schemaFile)
	if err != nil {
		return err
	}
	// Otherwise, there is no go.mod.
	goPackage.SupportPack = true
	goFiles, err := golang.GeneratePackage(generator, goPackage, nil)
	if err != nil {
		return err
	}
	return write(filepath.Join(out, "go"), goFiles)
}

// bind validates a schema, and prints what is wrong with it.
func bind(schemaFile string) (*schema.Package, error) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	for _, diagnostic := range diagnostics {
		fmt.Fprintln(os.Stderr, diagnostic)
	}
	if diagnostics.HasErrors() {
		return nil, fmt.Errorf("%s is not a valid schema", schemaFile)
	}
	return pkg, nil
}

func write(folder string, files map[string][]byte) error {
	for name, contents := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, contents, 0o644); err != nil {
			return err
		}
	}
	return nil
}
