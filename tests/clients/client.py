"""Calls the service with a public client, and prints the results as JSON: client.py <client> <url> <project>."""

import json
import sys

from atlasapi.atlas import Atlas
from atlasapi.errors import ErrAtlasNotFound
from atlasapi.settings import Settings
from pyatlassdk import AtlasAdminClient
from pyatlassdk.admin import AtlasApiError
from pyatlassdk.admin.models.cluster_description20240805 import ClusterDescription20240805
from pyatlassdk.admin.models.private_ip_mode_view import PrivateIPModeView

_, client, url, project = sys.argv
key = "demo", "demo-secret"


def with_atlasapi():
    Settings.BASE_URL = url
    clusters = Atlas(*key, project).Clusters
    result = {
        "list": [each["name"] for each in clusters.get_all_clusters(iterable=True)],
        "pages": [
            clusters.get_all_clusters(pageNum=page, itemsPerPage=1)["results"][0]["name"]
            for page in (1, 2, 3)
        ],
        "version": clusters.get_single_cluster("sharded")["mongoDBVersion"],
    }
    try:
        clusters.get_single_cluster("missing")
    except ErrAtlasNotFound as error:
        result["missing"] = error.details["errorCode"]
    clusters.delete_cluster("legacy", areYouSure=True)
    return result | {"rest": [each["name"] for each in clusters.get_all_clusters(iterable=True)]}


def with_pyatlassdk():
    api = AtlasAdminClient(*key, base_url=f"{url}/api/atlas/v2")
    clusters, network, group = api.clusters, api.network_peering, {"group_id": project}

    def refused(call, **arguments):
        try:
            call(**group, **arguments)
        except AtlasApiError as error:
            return error.payload["errorCode"]

    def disable(**arguments):
        body = PrivateIPModeView(enabled=False)
        return network.disable_group_private_ip_mode_peering(**arguments, body=body).enabled

    def names(**arguments):
        return [each.name for each in clusters.list_group_clusters(**group, **arguments).results]

    new = ClusterDescription20240805(name="new", cluster_type="REPLICASET")
    result = {
        "list": names(),
        "pages": [names(items_per_page=1, page_num=page)[0] for page in (1, 2, 3)],
        "version": clusters.get_group_cluster("sharded", project).mongo_db_version,
        "missing": refused(clusters.get_group_cluster, cluster_name="missing"),
        "mode": network.verify_group_private_ip_mode(project).enabled,
        "refused": refused(disable),
        "created": clusters.create_group_cluster(project, new).state_name,
    }
    for name in ("new", "legacy"):
        clusters.delete_group_cluster(name, project)
    return result | {"rest": names(), "disabled": disable(**group)}


print(json.dumps({"atlasapi": with_atlasapi, "pyatlassdk": with_pyatlassdk}[client]()))
