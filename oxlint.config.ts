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

/** The node agent is root among paths that containers change at any moment: what was resolved is somewhere else when used. */
const byString = ["node:fs", "node:fs/promises"].map((name) => ({
  name,
  importNames: ["realpath", "realpathSync"],
  message:
    "A path that a container, an image or a volume may change is opened by kubelet/safe-path/open-inside.ts.",
}));

/** An import of it by name costs a start 30 ms, for all that it loads. */
const byName = {
  name: "node:http",
  allowTypeImports: true,
  message: "It comes in through util/node-http.ts.",
};

/** Modules that open sockets; their types, and the checks of addresses in node:net, are free. */
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

/** One override for each layer: it may not climb to, or step sideways into, a layer outside its row. */
function layerRule(layer: string, allowed: readonly string[]) {
  return importRule(layer, `src/${layer}/**/*.ts`, forbiddenLayers(layer, allowed));
}

/** One override for each folder inside a layer, which keeps the rule of the layer too. */
function folderRules(layer: string, allowed: readonly string[]) {
  const own = Object.entries(folders[layer] ?? {});
  return own.map(([folder, others]) => {
    const forbidden = own.map(([name]) => name).filter((name) => name !== folder && !others.includes(name));
    const pattern = {
      regex: `^(\\.\\./)+(${forbidden.join("|")})/`,
      message: `${layer}/${folder}/ may import only ${others.join(", ") || "none"} of the layer's folders (tools/layers.ts).`,
    };
    return importRule(layer, `src/${layer}/${folder}/**/*.ts`, [...forbiddenLayers(layer, allowed), pattern]);
  });
}

function forbiddenLayers(layer: string, allowed: readonly string[]): readonly Forbidden[] {
  const forbidden = Object.keys(layers).filter((other) => other !== layer && !allowed.includes(other));
  if (forbidden.length === 0) return [];
  const message = `${layer}/ may import only ${allowed.join(", ") || "nothing"} (tools/layers.ts).`;
  return [{ regex: `^(\\.\\./)+(${forbidden.join("|")})/`, message }];
}

/** One override for each place that may open sockets, and for tests, which keeps the rule of the layer. */
function socketRule(place: string) {
  const [, layer = ""] = place.split("/");
  return importRule(layer, place, forbiddenLayers(layer, layers[layer] ?? []), true);
}

function importRule(layer: string, files: string, forbidden: readonly Forbidden[], opensSockets = false) {
  const patterns = [
    ...forbidden,
    { regex: "^(\\.\\./)+(test|bench|tools|examples)/", message: "Nothing shipped imports the workshop." },
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
  jsPlugins: ["./tools/no-plain-tables.js"],
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
    ...Object.entries(layers).map(([layer, allowed]) => layerRule(layer, allowed)),
    ...Object.entries(layers).flatMap(([layer, allowed]) => folderRules(layer, allowed)),
    ...socketPlaces.map(socketRule),
    ...Object.keys(layers).flatMap((layer) =>
      ["test", "suite"].map((kind) => socketRule(`src/${layer}/**/*.${kind}.ts`)),
    ),
    // Registries are reached by Node's own client.
    {
      files: ["src/kubelet/images/*.ts", "src/**/*.test.ts"],
      rules: { "no-restricted-globals": ["error", ...timers] },
    },
    { files: ["src/**"], rules: { "knarr/no-plain-tables": "error" } },
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
  ignorePatterns: ["dist", "node_modules"],
});
