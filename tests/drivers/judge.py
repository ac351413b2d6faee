"""Says what PyMongo does with connection strings, as judge.js does for the driver of Node.js: judge.py <DNS server>."""
import json
import socket
import sys
import warnings

import dns.resolver
import pymongo

host, port = sys.argv[1].split(":")
resolver = dns.resolver.Resolver(configure=False)
resolver.nameservers = [host]
resolver.port = int(port)
dns.resolver.default_resolver = resolver


def loopback(_host, port, *_args, **_options):
    return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))]


socket.getaddrinfo = loopback


def judge(url):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            client = pymongo.MongoClient(url)
            try:
                client.get_default_database("test")
            finally:
                client.close()
        except Exception as error:  # Drivers have no common class of errors.
            return {"refused": str(error)}
        return {"ignored": str(caught[0].message)} if caught else {}


print(json.dumps(pymongo.version))
for line in sys.stdin:
    print(json.dumps(judge(json.loads(line))))
