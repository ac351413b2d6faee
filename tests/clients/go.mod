module clients

go 1.24

require (
	github.com/mongodb-forks/digest v1.1.0
	go.mongodb.org/atlas v0.38.0
	golang.org/x/oauth2 v0.30.0
)

require github.com/google/go-querystring v1.1.0 // indirect
