import type { KubeObject } from "../../../meta/kind.ts";

/** Turns objects of one version into objects of another one. Neither is changed. */
export type Converter = (object: KubeObject, apiVersion: string) => KubeObject | Promise<KubeObject>;

/** The strategy None: versions differ in nothing but their name. */
export const renameVersion: Converter = (object, apiVersion) => ({ ...object, apiVersion });
