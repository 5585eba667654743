import type { Strategy } from "../../../meta/strategy.ts";
import { configMapColumns } from "./printer.ts";
import type { ConfigMap } from "./schema.ts";
import { validateConfigMap, validateConfigMapUpdate } from "./validation.ts";

export const configMapStrategy: Strategy<ConfigMap> = {
  validate: validateConfigMap,
  validateUpdate: validateConfigMapUpdate,
  columns: configMapColumns,
};
