// Says what the Go driver does with connection strings, as judge.js does for the driver of Node.js: <DNS server>.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/version"
)

type verdict struct {
	Refused string `json:"refused,omitempty"`
}

func judge(url string) verdict {
	all := options.Client().ApplyURI(url)
	if err := all.Validate(); err != nil {
		return verdict{err.Error()}
	}
	// It needs libraries that are not in this build.
	if all.Auth != nil && all.Auth.AuthMechanism == "GSSAPI" {
		all.Auth = nil
	}
	client, err := mongo.Connect(all)
	if err != nil {
		return verdict{err.Error()}
	}
	ended, end := context.WithCancel(context.Background())
	end()
	_ = client.Disconnect(ended)
	return verdict{}
}

func main() {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", os.Args[1])
	}
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: dial}
	print := json.NewEncoder(os.Stdout).Encode
	if err := print(version.Driver); err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var url string
		if err := json.Unmarshal(lines.Bytes(), &url); err != nil {
			panic(fmt.Sprint("not JSON: ", err))
		}
		if err := print(judge(url)); err != nil {
			panic(err)
		}
	}
}
