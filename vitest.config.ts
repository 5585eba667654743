import { defineConfig } from "vitest/config";

/** These look at the whole machine (mounts, links, processes): nothing else may run beside them. */
const alone = [
  "src/kubelet/native/**/*.test.ts",
  "src/kubelet/cri/cri-*.test.ts",
  "test/e2e/**/*.test.ts",
  "test/lint-canary.test.ts",
];
/** These start a containerd, which takes most of a minute: `npm run test:containerd`. */
const containerd = ["src/kubelet/cri/cri-*.test.ts", "test/e2e/cri.test.ts"];
const skipped = process.env["KNARR_CONTAINERD"] === "1" ? [] : containerd;
const all = ["src/**/*.test.ts", "test/**/*.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "parallel",
          include: all,
          exclude: [...alone, "node_modules/**"],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: alone,
          exclude: [...skipped, "node_modules/**"],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
