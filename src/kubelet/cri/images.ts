import { ImageService, type Image } from "../rpc/generated/cri_pb.ts";
import {
  type ImageService as Images,
  type ImageStatus,
  type PodFacts,
  type RegistryCredentials,
  RuntimeError,
} from "../runtime.ts";
import { parseReference } from "../images/reference.ts";
import type { CriCalls } from "./calls.ts";
import type { ImageUser } from "./container-request.ts";

const { imageStatus, listImages, pullImage, removeImage } = ImageService.method;
/** The greatest time for a pull. The runtime ends one that makes no progress by itself. */
const pullMs = 2 * 60 * 60_000;

/** An image with the user of its containers. */
export interface ResolvedImage {
  readonly id: string;
  readonly user: ImageUser;
}

/** The images of the container runtime. */
export class CriImages implements Images {
  readonly #calls: CriCalls;

  constructor(calls: CriCalls) {
    this.#calls = calls;
  }

  async pull(reference: string, _pod?: PodFacts, credentials?: RegistryCredentials): Promise<ImageStatus> {
    parseReference(reference);
    const { imageRef } = await this.#calls.call(
      pullImage,
      {
        image: { image: reference, userSpecifiedImage: reference },
        ...(credentials !== undefined && { auth: { ...credentials } }),
      },
      { deadlineMs: pullMs, reason: "ErrImagePull" },
    );
    const image = await this.#find(imageRef);
    if (image !== undefined) return statusOf(image);
    throw new RuntimeError("ErrImagePull", `the pulled image ${JSON.stringify(reference)} is not there`);
  }

  /** @throws RuntimeError InvalidImageName, as `pull` does: this is asked first */
  async inspect(reference: string): Promise<ImageStatus | undefined> {
    parseReference(reference);
    const image = await this.#find(reference);
    return image && statusOf(image);
  }

  async list(): Promise<readonly ImageStatus[]> {
    return (await this.#calls.call(listImages, {})).images.map(statusOf);
  }

  async remove(reference: string): Promise<void> {
    await this.#calls.find(removeImage, { image: { image: reference } });
  }

  /** @throws RuntimeError ImageNotFound */
  async resolve(reference: string): Promise<ResolvedImage> {
    const image = await this.#find(reference);
    if (image === undefined)
      throw new RuntimeError("ImageNotFound", `image ${JSON.stringify(reference)} is not on this node`);
    const { id, uid, username } = image;
    return { id, user: { username, ...(uid !== undefined && { uid: uid.value }) } };
  }

  async #find(reference: string): Promise<Image | undefined> {
    return (await this.#calls.call(imageStatus, { image: { image: reference } })).image;
  }
}

function statusOf({ id, repoTags, repoDigests, size }: Image): ImageStatus {
  return { id, tags: repoTags, digests: repoDigests, sizeBytes: Number(size) };
}
