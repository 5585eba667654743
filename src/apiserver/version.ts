/**
 * The answer of `/version`. Clients and Helm charts compare the Kubernetes version; the rest is information.
 */
export const version = {
  major: "1",
  minor: "36",
  // It emulates no other version, and could share a cluster with servers of the previous one.
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.0+knarr",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "node",
  platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
} as const;
