import type { Pod } from "../../api/core/pod/schema.ts";
import { maxScore, type Plugin } from "../framework.ts";

const mebibyte = 1024 * 1024;
const minThreshold = 23 * mebibyte;
const maxContainerThreshold = 1000 * mebibyte;

/** Prefers nodes that have the Pod's images already, by their size and spread (scheduler `image_locality.go`). */
export const imageLocality: Plugin = {
  name: "ImageLocality",
  preScore(pod, { imageCounts, nodes }) {
    const images = imagesOf(pod);
    // An image that no node has makes no difference between nodes.
    if (!images.some((image) => imageCounts.has(image))) return undefined;
    const highest = maxContainerThreshold * images.length;
    return {
      score({ imageSizes }) {
        let sum = 0;
        for (const image of images) {
          const size = imageSizes.get(image);
          if (size === undefined) continue;
          // An image on few nodes counts less, so that not all Pods go to these nodes.
          sum += Math.floor((size * (imageCounts.get(image) ?? 0)) / nodes.length);
        }
        const bounded = Math.min(Math.max(sum, minThreshold), highest);
        return Math.floor((maxScore * (bounded - minThreshold)) / (highest - minThreshold));
      },
    };
  },
};

function imagesOf({ spec }: Pod): readonly string[] {
  const all = [...(spec.initContainers ?? []), ...spec.containers];
  return all.map(({ image = "" }) => withTag(image));
}

/** The name as nodes report it: with a tag. */
function withTag(image: string): string {
  return image.lastIndexOf(":") <= image.lastIndexOf("/") ? `${image}:latest` : image;
}
