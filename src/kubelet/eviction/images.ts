import type { ImageStatus } from "../runtime.ts";
import type { EvictionSettings } from "./thresholds.ts";

/** The times at which an image was found, and was used last; in milliseconds. */
export interface ImageAge {
  readonly detected: number;
  readonly used: number;
}

/** Returns the ages after another look. Images that are gone are forgotten. */
export function stepAges(
  before: ReadonlyMap<string, ImageAge>,
  images: readonly ImageStatus[],
  inUse: ReadonlySet<string>,
  now: number,
): ReadonlyMap<string, ImageAge> {
  return new Map(
    images.map(({ id }) => {
      const known = before.get(id);
      return [id, { detected: known?.detected ?? now, used: inUse.has(id) ? now : (known?.used ?? 0) }];
    }),
  );
}

/**
 * Returns the unused images to remove, those used longest ago first, until `bytes` are freed (kubelet `image_gc_manager.go`). Images
 * younger than the minimum age stay; those that nothing has used for the maximum age go in any case.
 */
export function imagesToRemove(
  images: readonly ImageStatus[],
  ages: ReadonlyMap<string, ImageAge>,
  inUse: ReadonlySet<string>,
  {
    bytes,
    now,
    imageMinAgeMs,
    imageMaxAgeMs,
  }: Pick<EvictionSettings, "imageMinAgeMs" | "imageMaxAgeMs"> & {
    readonly bytes: number;
    readonly now: number;
  },
): readonly ImageStatus[] {
  const ageOf = ({ id }: ImageStatus) => ages.get(id) ?? { detected: now, used: now };
  const unused = images
    .filter(({ id }) => !inUse.has(id))
    .sort((a, b) => ageOf(a).used - ageOf(b).used || ageOf(a).detected - ageOf(b).detected);
  const chosen: ImageStatus[] = [];
  let freed = 0;
  for (const image of unused) {
    const { detected, used } = ageOf(image);
    const isOld = imageMaxAgeMs > 0 && now - Math.max(detected, used) > imageMaxAgeMs;
    if (!isOld && (freed >= bytes || now - detected < imageMinAgeMs)) continue;
    chosen.push(image);
    freed += image.sizeBytes;
  }
  return chosen;
}

/** Returns the bytes to free when the file system is fuller than the high mark; 0 below it. */
export function excessBytes(
  { available, capacity }: { readonly available: number; readonly capacity: number },
  { imageHighPercent, imageLowPercent }: Pick<EvictionSettings, "imageHighPercent" | "imageLowPercent">,
): number {
  const usedPercent = 100 - Math.trunc((Math.min(available, capacity) * 100) / capacity);
  if (imageHighPercent >= 100 || usedPercent < imageHighPercent) return 0;
  return Math.max(0, Math.trunc((capacity * (100 - imageLowPercent)) / 100) - available);
}
