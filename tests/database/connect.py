"""Connects with pymongo to each string of standard input, and prints what it saw as JSON."""

import json
import socket
import sys

import dns.resolver
from pymongo import MongoClient

given = json.load(sys.stdin)
host, port = given["dns"].rsplit(":", 1)
resolver = dns.resolver.Resolver(configure=False)
resolver.nameservers, resolver.port = [host], int(port)
# Resolves SRV and TXT records, for pymongo.
dns.resolver.default_resolver = resolver
system_lookup = socket.getaddrinfo
addresses = set()


def look_up(name, port, *args, **options):
    """Resolves a host with the given server, and returns the address of the front."""
    addresses.add(resolver.resolve(name, "A")[0].address)
    return system_lookup(given["address"], port, *args, **options)


socket.getaddrinfo = look_up


def connect(url, user=None):
    addresses.clear()
    options = {"serverSelectionTimeoutMS": 10_000, **(user or {})}
    with MongoClient(url, **options) as client:
        documents = client["test"]["documents"]
        inserted = documents.insert_one({"value": 1}).inserted_id
        assert documents.find_one({"_id": inserted})["value"] == 1, "the document cannot be read"
        return {
            "topology": client.topology_description.topology_type_name,
            "authSource": client.options.pool_options._credentials.source,
            "addresses": sorted(addresses),
        }


print(json.dumps([connect(**connection) for connection in given["connections"]]))
