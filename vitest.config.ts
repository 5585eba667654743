import { defineConfig } from "vitest/config";

/** These look at the whole machine (mounts, links, processes): nothing else may run beside them. */
const alone = [
  "src/kubelet/native/**/*.test.ts",
  "src/kubelet/cri/cri-*.test.ts",
  "test/e2e/**/*.test.ts",
  "test/lint-canary.test.ts",
];
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
        test: { name: "alone", include: alone, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
