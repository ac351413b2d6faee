/**
 * The profiles: what the setting `profile` stands for. Each is a family of services that share paths, media
 * types and field names. Programs load this file, so it does not use zod.
 */
/** The family of the service, which sets the defaults of its paths, media types and field names. */
export type ProfileName =
  /** The service of the service document. */
  | "default"
  /** Services with the paths and the dated media types of `/api/atlas/v2`, and Flex clusters. */
  | "v2";

/** The settings that a profile sets, as the configuration names them. */
type ProfileKey =
  | "apiPath"
  | "tokenPath"
  | "mediaType"
  | "contentType"
  | "fieldPrefix"
  | "clusterPaths";

/** The settings of each profile (revokePath follows tokenPath), by its name. `default` has the defaults of all settings. */
export const profiles = {
  default: {
    apiPath: "/api/service/v1.0",
    tokenPath: "/api/oauth/token",
    mediaType: "application/json",
    contentType: "application/json",
    fieldPrefix: "db",
    clusterPaths: "clusters",
  },
  v2: {
    apiPath: "/api/atlas/v2",
    tokenPath: "/api/oauth/token",
    // The first version with Flex clusters. A service of this family answers with the latest version of each
    // resource that is not newer, so that one date serves all requests.
    mediaType: "application/vnd.atlas.2024-11-13+json",
    contentType: "mediaType",
    fieldPrefix: "mongoDB",
    clusterPaths: "clusters,flexClusters",
  },
} as const satisfies Record<ProfileName, Record<ProfileKey, string>>;

/** Returns whether a profile with this name exists. */
export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(profiles, name);
}
