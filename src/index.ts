export { startCluster, type TestCluster, type TestClusterOptions } from "./testing/start-cluster.ts";
export { Client } from "./client/client.ts";
export { version } from "./apiserver/version.ts";
