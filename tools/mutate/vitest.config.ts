import { defineConfig } from "vitest/config";

/** Runs the tests that `main.ts` names. Test files share their modules: loading them anew costs more than most tests. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    include: (process.env["KNARR_MUTATE_TESTS"] ?? "").split(" "),
    setupFiles: ["tools/mutate/vitest-setup.ts"],
    isolate: false,
  },
});
