import type { KubeObject } from "../../meta/kind.ts";
import type { Strategy } from "../../meta/strategy.ts";

const reservedSuffix = ".static.k8s.io";

/** The part of the strategy that all kinds of the group share. */
export const common = {
  generation: true,
  allowUnconditionalUpdate: false,
  warnings: ({ metadata: { name = "" } }: KubeObject) =>
    name.endsWith(reservedSuffix)
      ? [
          `metadata.name: names ending with "${reservedSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
        ]
      : [],
} as const satisfies Strategy<KubeObject>;
