import { expect, test } from "vitest";
import { compareVersions } from "./version-order.ts";

/** The example in upstream's documentation. */
const order = "v10 v2 v1 v11beta2 v10beta3 v3beta1 v12alpha1 v11alpha2 foo1 foo10 v01x".split(" ");

test("versions that clients should prefer come first", () => {
  for (const [i, better] of order.entries()) {
    expect(compareVersions(better, better)).toBe(0);
    for (const worse of order.slice(i + 1)) {
      expect(compareVersions(better, worse), `${better} ${worse}`).toBeGreaterThan(0);
      expect(compareVersions(worse, better), `${worse} ${better}`).toBeLessThan(0);
    }
  }
});
