import { list, messages, optional, required, string } from "../../meta/schema.ts";

/** Messages of discovery answers, which clients see in the documents and never send. */
const message = messages("io.k8s.apimachinery.pkg.apis.meta.v1");

const ServerAddressByClientCIDR = message(
  "ServerAddressByClientCIDR",
  "Where some clients find the server.",
  {
    clientCIDR: required(1, string, "The addresses of these clients."),
    serverAddress: required(2, string, "The server's address for them."),
  },
);

const GroupVersionForDiscovery = message("GroupVersionForDiscovery", "One version of a group.", {
  groupVersion: required(1, string, "The group and version."),
  version: required(2, string, "The version alone."),
});

export const APIGroup = message("APIGroup", "A group and its versions.", {
  name: required(1, string, "The group's name."),
  versions: required(2, list(GroupVersionForDiscovery), "The versions served."),
  preferredVersion: optional(
    3,
    GroupVersionForDiscovery,
    "The version to use when there is no reason for another.",
  ),
  serverAddressByClientCIDRs: optional(4, list(ServerAddressByClientCIDR), "Where clients find the server."),
});

export const APIGroupList = message("APIGroupList", "All groups but the core one.", {
  groups: required(1, list(APIGroup), "The groups."),
});

export const APIVersions = message("APIVersions", "The versions of the core group.", {
  versions: required(1, list(string), "The versions served."),
  serverAddressByClientCIDRs: required(2, list(ServerAddressByClientCIDR), "Where clients find the server."),
});

export const Info = messages("io.k8s.apimachinery.pkg.version")("Info", "The version of the server.", {
  major: required(0, string, "The major version."),
  minor: required(0, string, "The minor version."),
  emulationMajor: optional(0, string, "The major version that the server behaves as."),
  emulationMinor: optional(0, string, "The minor version that the server behaves as."),
  minCompatibilityMajor: optional(0, string, "The oldest major version that the server works together with."),
  minCompatibilityMinor: optional(0, string, "The oldest minor version that the server works together with."),
  gitVersion: required(0, string, "The whole version, such as v1.36.0."),
  gitCommit: required(0, string, "The commit that it was built from."),
  gitTreeState: required(0, string, "Whether there were changes beside the commit."),
  buildDate: required(0, string, "When it was built."),
  goVersion: required(0, string, "The version of Go that it was built with."),
  compiler: required(0, string, "The compiler."),
  platform: required(0, string, "The operating system and processor."),
});
