import type { ImageBind, ImageRecord } from "./image.ts";
import type { LayerArchive } from "./layer-store.ts";

/** An image of this node with all that an export needs. */
export interface ImageDetails {
  readonly record: ImageRecord;
  /** The configuration's text; its digest is the image's ID. */
  readonly config: string;
  /** The directories of its layers, lowest first. */
  readonly layers: readonly string[];
  /** Returns the layers' archives, lowest first. @throws Error where one was not kept */
  readonly archives: () => Promise<readonly LayerArchive[]>;
}

/** The result of a build step. */
export interface BuiltImage {
  readonly config: string;
  /** The diff IDs of layers that are on this node, lowest first. */
  readonly below: readonly string[];
  /** The archive of the layer on top of them. */
  readonly layer?:
    | {
        readonly directory: string;
        readonly file: string;
        readonly digest: string;
        readonly size: number;
      }
    | undefined;
  readonly tags: readonly string[];
  readonly buildKeys: readonly string[];
  readonly binds: readonly ImageBind[];
}
