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

type files = map[string][]byte

var languages = map[string]func(*schema.Package) (files, error){
	"nodejs": func(pkg *schema.Package) (files, error) {
		return nodejs.GeneratePackage(generator, pkg, nil, nil, false, nil)
	},
	"python": func(pkg *schema.Package) (files, error) {
		return python.GeneratePackage(generator, pkg, nil, nil)
	},
	"go": func(pkg *schema.Package) (files, error) {
		// Otherwise, there is no go.mod.
		pkg.SupportPack = true
		return golang.GeneratePackage(generator, pkg, nil)
	},
}

func generate(schemaFile, out string) error {
	for language, generatePackage := range languages {
		// A generator modifies the package that it receives.
		pkg, err := bind(schemaFile)
		if err != nil {
			return err
		}
		generated, err := generatePackage(pkg)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(out, language), generated); err != nil {
			return err
		}
	}
	return nil
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

func write(folder string, contents files) error {
	for name, content := range contents {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
