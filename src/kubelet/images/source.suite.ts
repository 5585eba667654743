import fc from "fast-check";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sha256 } from "./digest.ts";
import type { ImagePlan, ImageSource } from "./source.ts";

export interface SourceUnderTest {
  readonly source: ImageSource;
  /** The plans of the images that were published. */
  plans(): Promise<readonly ImagePlan[]>;
  /** Publishes an image. Its configuration and manifest may be nonsense. */
  publish(image: PublishedImage): Promise<void>;
  dispose(): Promise<void>;
}

export interface PublishedImage {
  readonly tag: string;
  /** The configuration's text. */
  readonly config: string;
  /** The bytes that are sent, lowest layer first. */
  readonly layers: readonly Buffer[];
  /** Takes the place of the manifest, where there is one. */
  readonly manifest?: string;
  /** The other machines' images, as `os/architecture`: the image is one of an index. */
  readonly among?: readonly string[];
  /** The machine that the image is for, where it is one of an index. Default: this one. */
  readonly platform?: string;
  /** Changes a document after its digest was taken. */
  readonly forge?: "config" | "manifest";
}

export interface SourceFeatures {
  /** Documents are named by their digests, and images are for machines: all but what `docker save` writes. */
  readonly digests: boolean;
}

export const thisMachine = `linux/${process.arch === "x64" ? "amd64" : process.arch}`;

/** The documents and layers of an image by digest, with the digest of the one to begin with. */
export function ociBlobs(image: PublishedImage): {
  readonly blobs: ReadonlyMap<string, Buffer>;
  readonly root: string;
} {
  const { config, layers, among, platform = thisMachine, forge } = image;
  const blobs = new Map<string, Buffer>();
  const put = (content: Buffer, forged = false): string => {
    const digest = sha256(content);
    blobs.set(digest, forged ? Buffer.concat([content, Buffer.from(" ")]) : content);
    return digest;
  };
  const document = {
    config: { digest: put(Buffer.from(config), forge === "config") },
    layers: layers.map((layer) => ({ digest: put(layer), size: layer.length })),
  };
  const manifest = put(Buffer.from(image.manifest ?? JSON.stringify(document)), forge === "manifest");
  if (among === undefined) return { blobs, root: manifest };
  const describe = (name: string, digest: string) => {
    const [os, architecture] = name.split("/");
    return { digest, platform: { os, architecture } };
  };
  const elsewhere = among.map((name) => describe(name, put(Buffer.from(`an image for ${name}`))));
  const manifests = [...elsewhere, describe(platform, manifest)];
  return { blobs, root: put(Buffer.from(JSON.stringify({ manifests }))) };
}

const toJson = (value: unknown) => JSON.stringify(value);
const layers = ["below", "above"].map((text) => gzipSync(text));
const image: PublishedImage = { tag: "registry.test/app:v1", config: '{"config":{"Cmd":["/žluť"]}}', layers };

/** Tests the behaviour that all sources of images share. */
export function sourceSuite(
  name: string,
  { digests }: SourceFeatures,
  open: () => Promise<SourceUnderTest>,
): void {
  describe(`${name} as a source of images`, () => {
    let under: SourceUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.dispose());

    const contents = async ({ layers }: ImagePlan): Promise<readonly Buffer[]> =>
      Promise.all(layers.map(async (layer) => buffer(await under.source.open(layer))));

    test("a plan has the configuration as it was published, and leads to the layers, lowest first", async () => {
      await under.publish(image);
      const [plan, ...others] = await under.plans();
      expect(others).toEqual([]);
      expect(plan?.config).toBe(image.config);
      expect(plan === undefined ? [] : await contents(plan)).toEqual(layers);
    });

    test("an image without layers is planned, too", async () => {
      await under.publish({ ...image, layers: [] });
      expect(await under.plans()).toMatchObject([{ config: image.config, layers: [] }]);
    });

    test("what is not there is refused", async () => {
      await under.publish(image);
      await expect(under.source.read("absent")).rejects.toThrow(/absent/);
      const layer = { name: "absent/layer.tar" };
      await expect(under.source.open(layer).then((stream) => buffer(stream))).rejects.toThrow(/absent/);
    });

    test("nonsense in the place of a document is an error, or a plan of nothing", async () => {
      const value = fc.oneof(fc.constantFrom(null, "", [], {}, [""], "config.json"), fc.jsonValue());
      const fields = ["config", "layers", "manifests", "Config", "Layers", "RepoTags"] as const;
      const record = fc.dictionary(fc.constantFrom(...fields), value);
      const nonsense = fc.oneof(fc.json(), record.map(toJson), fc.array(record).map(toJson), fc.string());
      const property = fc.asyncProperty(nonsense, async (manifest) => {
        await under.publish({ ...image, manifest });
        const outcome = await under.plans().catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).not.toBeInstanceOf(TypeError);
        else for (const { config } of outcome as readonly ImagePlan[]) expect(config).toBe(image.config);
      });
      await fc.assert(property, { numRuns: 200 });
    });

    describe.skipIf(!digests)("with digests", () => {
      test("a plan names the digest of what the image was published as, and those of its layers", async () => {
        await under.publish(image);
        const [plan] = await under.plans();
        expect(plan?.digest).toBe(ociBlobs(image).root);
        expect(plan?.layers).toMatchObject(
          layers.map((layer) => ({ digest: sha256(layer), size: layer.length })),
        );
      });

      test("of images for many machines the one for this machine is planned, under the digest of all", async () => {
        const many = { ...image, among: ["windows/amd64", "linux/riscv64", "darwin/arm64"] };
        await under.publish(many);
        const [plan] = await under.plans();
        expect(plan?.config).toBe(image.config);
        expect(plan?.digest).toBe(ociBlobs(many).root);
      });

      test("an image for other machines is refused", async () => {
        await under.publish({ ...image, among: ["windows/amd64"], platform: "linux/riscv64" });
        await expect(under.plans()).rejects.toThrow(`no manifest for ${thisMachine}`);
      });

      test.each(["config", "manifest"] as const)("a %s of another digest is refused", async (forge) => {
        await under.publish({ ...image, forge, among: ["windows/amd64"] });
        await expect(under.plans()).rejects.toThrow(/^Cannot use sha256:\w+: its digest is sha256:\w+$/);
      });
    });
  });
}
