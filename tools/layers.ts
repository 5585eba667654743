/** Which layer may import which: the table in ARCHITECTURE.md. `oxlint.config.ts` makes it a lint rule. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  util: [],
  meta: ["util"],
  cel: ["util"],
  api: ["meta", "util"],
  store: ["meta", "util"],
  client: ["api", "meta", "util"],
  operator: ["client", "api", "meta", "util"],
  apiserver: ["store", "api", "cel", "meta", "util"],
  controllers: ["operator", "client", "api", "cel", "meta", "util"],
  scheduler: ["operator", "client", "api", "meta", "util"],
  kubelet: ["operator", "client", "api", "meta", "util"],
  network: ["operator", "client", "api", "meta", "util"],
  cli: ["operator", "client", "api", "meta", "util"],
  cluster: [
    "cli",
    "network",
    "kubelet",
    "scheduler",
    "controllers",
    "apiserver",
    "operator",
    "client",
    "store",
    "api",
    "cel",
    "meta",
    "util",
  ],
  testing: [
    "cluster",
    "network",
    "kubelet",
    "scheduler",
    "controllers",
    "apiserver",
    "operator",
    "client",
    "store",
    "api",
    "cel",
    "meta",
    "util",
  ],
};

/**
 * Which folder inside a layer may import which of its other folders. The layer's own files, beside the folders, tie them
 * together: they import any, and any may import their types.
 */
export const folders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  meta: { apply: [], patch: [], protobuf: [], validation: [], "json-path": [] },
  apiserver: {
    http: [],
    yaml: [],
    authn: ["resources"],
    webhooks: ["resources"],
    expressions: [],
    resources: [],
    watch: ["resources"],
    authz: ["watch"],
    admission: ["authz", "resources"],
    permissions: ["authz", "resources"],
    registry: ["admission", "authz", "permissions", "resources", "watch"],
    crd: ["expressions", "registry", "resources", "webhooks"],
    discovery: ["authn", "resources"],
    rest: ["authz", "registry", "resources", "watch", "yaml"],
    openapi: ["discovery", "resources", "rest"],
    streaming: ["authz", "http", "registry", "resources"],
    subresources: ["admission", "authn", "authz", "registry", "resources", "rest", "streaming"],
  },
};

/** The places that may open sockets: everywhere else the network comes in as a parameter. */
export const socketPlaces: readonly string[] = [
  "src/client/http.ts",
  "src/client/http-sessions.ts",
  "src/apiserver/http/*.ts",
  "src/apiserver/webhooks/https.ts",
  "src/kubelet/images/registry.ts",
  "src/kubelet/native/**/*.ts",
  "src/kubelet/probes/handlers.ts",
  "src/network/**/*.ts",
  "src/cluster/commands/status.ts",
];
