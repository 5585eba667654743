import { pods } from "../../api/core/pod/schema.ts";
import { about, type AdmissionPlugin } from "./plugin.ts";

const graceSeconds = 300;

/**
 * Makes Pods tolerate an unreachable node for five minutes by default (plugin `defaulttolerationseconds`).
 */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  mutate(attributes) {
    const { operation, object } = about(pods, attributes) ?? {};
    if (operation === "DELETE" || object === undefined) return;
    const { spec } = object;
    for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
      const tolerated = spec.tolerations?.some(
        (one) =>
          (one.key === key || one.key === undefined) &&
          (one.effect === "NoExecute" || one.effect === undefined),
      );
      if (tolerated === true) continue;
      const toleration = {
        key,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: graceSeconds,
      } as const;
      (spec.tolerations ??= []).push(toleration);
    }
  },
};
