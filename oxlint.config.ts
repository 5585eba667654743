import { defineConfig } from "oxlint";
import { folders, layers, socketPlaces } from "./tools/layers.ts";

const wallClock = "Time comes in through util/clock.ts.";
const entropy = "Randomness comes in through util/random.ts.";
const network = "The network comes in as a parameter: only the places in tools/layers.ts open sockets.";

const timers = ["setTimeout", "setInterval", "performance"].map((name) => ({ name, message: wallClock }));

/** Rules that keep time and randomness injected; `util/` holds the two places that may touch them. */
const injected = {
  "no-restricted-globals": ["error", ...timers, { name: "fetch", message: network }],
  "no-restricted-properties": [
    "error",
    { object: "Date", property: "now", message: wallClock },
    { object: "performance", property: "now", message: wallClock },
    { object: "Math", property: "random", message: entropy },
    { object: "crypto", property: "randomUUID", message: entropy },
    { object: "crypto", property: "getRandomValues", message: entropy },
  ],
} as const;

/** Path functions that the node agent, which is root, may not use: a container can change a path after it was resolved. */
const byString = ["node:fs", "node:fs/promises"].map((name) => ({
  name,
  importNames: ["realpath", "realpathSync"],
  message:
    "A path that a container, an image or a volume may change is opened by kubelet/safe-path/open-inside.ts.",
}));

/** An import of node:http by name, which adds 30 ms to a start. */
const byName = {
  name: "node:http",
  allowTypeImports: true,
  message: "node:http comes in through util/node-http.ts.",
};

/** Modules that open sockets; their types, and the address checks of node:net, are allowed. */
const sockets = [
  { name: "node:net", importNames: ["connect", "createConnection", "createServer", "Server", "Socket"] },
  { name: "node:dgram" },
  { name: "node:https" },
  { name: "node:http2" },
  { name: "node:tls" },
].map((one) => ({ ...one, allowTypeImports: true, message: network }));

interface Forbidden {
  readonly regex: string;
  readonly message: string;
}

/** One override for each layer, which may import only the layers of its row. */
const layerRules = Object.keys(layers).map((layer) =>
  importRule(layer, `src/${layer}/**/*.ts`, outside(layer)),
);

/** One override for each folder inside a layer; the override also has the layer's rule. */
const folderRules = Object.entries(folders).flatMap(([layer, rows]) =>
  Object.keys(rows).map((folder) =>
    importRule(layer, `src/${layer}/${folder}/**/*.ts`, outside(layer, folder)),
  ),
);

/** One override for each place that may open sockets; the override also has the rules of the layer and the folder. */
const socketRules = socketPlaces.map((place) => {
  const [, layer = "", folder] = place.split("/");
  return importRule(layer, place, outside(layer, folder), true);
});

/** One override for the tests of each layer, which may open sockets and import all folders of their layer. */
const testRules = Object.keys(layers).flatMap((layer) =>
  ["test", "suite"].map((kind) => importRule(layer, `src/${layer}/**/*.${kind}.ts`, outside(layer), true)),
);

/** Returns the imports that the tables forbid to a layer, and to one of its folders if given. */
function outside(layer: string, folder = ""): readonly Forbidden[] {
  const allowed = layers[layer] ?? [];
  const others = Object.keys(layers).filter((other) => other !== layer && !allowed.includes(other));
  const rows = folders[layer] ?? {};
  const row = rows[folder];
  const foreign = Object.keys(rows).filter((other) => other !== folder && !row?.includes(other));
  return [
    ...forbid(others, `${layer}/ may import only ${listed(allowed)}`),
    ...(row === undefined
      ? []
      : forbid(foreign, `${layer}/${folder}/ may import only ${listed(row)} of the layer's folders`)),
  ];
}

function forbid(names: readonly string[], message: string): readonly Forbidden[] {
  if (names.length === 0) return [];
  return [{ regex: `^(\\.\\./)+(${names.join("|")})/`, message: `${message} (tools/layers.ts).` }];
}

function listed(names: readonly string[]): string {
  return names.join(", ") || "nothing";
}

function importRule(layer: string, files: string, forbidden: readonly Forbidden[], opensSockets = false) {
  const patterns = [
    ...forbidden,
    {
      regex: "^(\\.\\./)+(test|bench|tools|examples)/",
      message: "Shipped code imports no tests, benchmarks, tools or examples.",
    },
    ...(layer === "testing" || layer === "cluster"
      ? []
      : [
          {
            regex: "(^|/)index\\.ts$",
            message: "Import the file itself: only package entry points are barrels.",
          },
        ]),
  ];
  const paths = [
    byName,
    ...(layer === "kubelet" ? byString : []),
    ...(opensSockets || layer === "util" ? [] : sockets),
  ];
  return { files: [files], rules: { "no-restricted-imports": ["error", { patterns, paths }] } } as const;
}

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "oxc", "promise", "node"],
  categories: { correctness: "error", suspicious: "error" },
  jsPlugins: ["./tools/lint-rules.js"],
  options: { typeAware: true },
  rules: {
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": ["error", { checksVoidReturn: false }],
    "typescript/consistent-type-imports": "error",
    "typescript/switch-exhaustiveness-check": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/consistent-return": "off",
    "typescript/no-unnecessary-boolean-literal-compare": "off",
    eqeqeq: ["error", "always"],
    "no-console": "error",
    "no-shadow": "off",
    "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    "no-underscore-dangle": "off",
    "no-await-in-loop": "off",
    "max-lines-per-function": ["error", { max: 70, skipComments: true, skipBlankLines: true }],
    "unicorn/no-array-sort": "off",
    "unicorn/no-array-reverse": "off",
    "unicorn/consistent-function-scoping": "off",
    "import/no-unassigned-import": "off",
    "import/no-named-as-default-member": "off",
    ...injected,
  },
  overrides: [
    ...layerRules,
    ...folderRules,
    ...socketRules,
    ...testRules,
    // Image registries are called with Node's own fetch.
    {
      files: ["src/kubelet/images/*.ts", "src/**/*.test.ts"],
      rules: { "no-restricted-globals": ["error", ...timers] },
    },
    { files: ["src/**"], rules: { "knarr/docstring-opening": "error", "knarr/no-plain-tables": "error" } },
    { files: ["src/util/**"], rules: { "no-restricted-globals": "off", "no-restricted-properties": "off" } },
    {
      files: ["**/*.test.ts", "**/*.suite.ts", "test/**", "bench/**", "tools/**", "examples/**"],
      rules: {
        "max-lines-per-function": "off",
        "typescript/no-non-null-assertion": "off",
        "knarr/no-plain-tables": "off",
      },
    },
    {
      files: ["bench/**", "tools/**", "test/**", "examples/**", "src/cli/**"],
      rules: { "no-console": "off", "no-restricted-globals": "off", "no-restricted-properties": "off" },
    },
  ],
  ignorePatterns: ["dist", "node_modules", "src/**/generated"],
});
