// Calls the service with go.mongodb.org/atlas, and prints the results as JSON: <digest or oauth> <url> <project>.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"

	"github.com/mongodb-forks/digest"
	"go.mongodb.org/atlas/mongodbatlas"
	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	ctx := context.Background()
	url, project := os.Args[2], os.Args[3]
	api := must(mongodbatlas.New(authenticated(ctx, url), mongodbatlas.SetBaseURL(url+"/")))
	clusters, mode := api.Clusters, api.PrivateIPMode
	result := map[string]any{"list": list(ctx, api, project)}

	pages, isLast := []string{}, false
	for page := 1; !isLast; page++ {
		options := &mongodbatlas.ListOptions{PageNum: page, ItemsPerPage: 1}
		found, response, err := clusters.List(ctx, project, options)
		check(err)
		pages, isLast = append(pages, found[0].Name), response.IsLastPage()
	}
	result["pages"] = pages

	sharded, _, err := clusters.Get(ctx, project, "sharded")
	check(err)
	result["version"] = sharded.MongoDBVersion
	_, _, err = clusters.Get(ctx, project, "missing")
	result["missing"] = code(err)

	current, _, err := mode.Get(ctx, project)
	check(err)
	result["mode"] = *current.Enabled
	off := &mongodbatlas.PrivateIPMode{Enabled: new(bool)}
	_, _, err = mode.Update(ctx, project, off)
	result["refused"] = code(err)

	cluster := &mongodbatlas.Cluster{Name: "new", ClusterType: "REPLICASET"}
	created, _, err := clusters.Create(ctx, project, cluster)
	check(err)
	result["created"] = created.StateName
	for _, name := range []string{"new", "legacy"} {
		_, err := clusters.Delete(ctx, project, name, nil)
		check(err)
	}
	result["rest"] = list(ctx, api, project)
	changed, _, err := mode.Update(ctx, project, off)
	check(err)
	result["disabled"] = *changed.Enabled
	check(json.NewEncoder(os.Stdout).Encode(result))
}

func authenticated(ctx context.Context, url string) *http.Client {
	if os.Args[1] == "digest" {
		return must(digest.NewTransport("demo", "demo-secret").Client())
	}
	account := clientcredentials.Config{
		ClientID: "svc_demo", ClientSecret: "svc-secret", TokenURL: url + "/api/oauth/token",
	}
	return account.Client(ctx)
}

func list(ctx context.Context, api *mongodbatlas.Client, project string) []string {
	found, _, err := api.Clusters.List(ctx, project, nil)
	check(err)
	names := []string{}
	for _, each := range found {
		names = append(names, each.Name)
	}
	return names
}

// code returns the error code of a refused request.
func code(err error) string {
	var refused *mongodbatlas.ErrorResponse
	if !errors.As(err, &refused) {
		return "none"
	}
	return refused.ErrorCode
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
