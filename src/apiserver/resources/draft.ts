import type { KubeObject } from "../../meta/kind.ts";
import type { Draft } from "../../meta/schema.ts";

export type DraftObject = Draft<KubeObject>;
