import { expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import { aNode, aPod } from "../builders.suite.ts";
import { Snapshot } from "../snapshot.ts";
import { imageLocality } from "./image-locality.ts";

const mebibyte = 1024 * 1024;

type Images = Readonly<Record<string, number>>;

/** Nodes `1`, `2`, … with images and their sizes in MiB. */
function snapshotOf(...nodes: readonly Images[]): Snapshot {
  const snapshot = new Snapshot();
  for (const [i, images] of nodes.entries()) {
    const node = aNode(`${i + 1}`);
    const list = Object.entries(images).map(([name, size]) => ({
      names: [name, `${name}@sha256:1`],
      sizeBytes: size * mebibyte,
    }));
    snapshot.setNode({ ...node, status: { ...node.status, images: list } });
  }
  return snapshot;
}

function pod(images: readonly string[], initImages: readonly string[] = []): Pod {
  const container = (image: string, i: number) => ({ name: `c${i}`, image });
  return aPod("p", {}, { containers: images.map(container), initContainers: initImages.map(container) });
}

const first = { "gcr.io/40:latest": 40, "gcr.io/300:latest": 300, "gcr.io/2000:latest": 2000 };
const second = { "gcr.io/250:latest": 250, "gcr.io/10:latest": 10 };

/** After upstream's `image_locality_test.go`, by value. */
test.each<[string, Pod, readonly Images[], readonly number[]]>([
  ["an image on each node", pod(["gcr.io/40", "gcr.io/250"]), [first, second], [0, 5]],
  ["both images on one node", pod(["gcr.io/40", "gcr.io/300"]), [first, second], [7, 0]],
  ["the image of an init container", pod(["gcr.io/10"], ["gcr.io/300"]), [first, second], [6, 0]],
  ["an image below the least size", pod(["gcr.io/10"], []), [first, second], [0, 0]],
  ["one large image", pod(["gcr.io/2000"]), [first, second], [100, 0]],
  ["an image that is exactly as large as the most", pod(["gcr.io/2000", "x"]), [first, second], [49, 0]],
  ["an image on all nodes counts in full", pod(["gcr.io/300"]), [first, first], [28, 28]],
  ["an image on few nodes counts less", pod(["gcr.io/300"]), [first, second, second, second], [5, 0, 0, 0]],
  ["an image with a tag", pod(["gcr.io/300:v1"]), [{ "gcr.io/300:v1": 300 }], [28]],
  [
    "an image of a registry with a port, without a tag",
    pod(["host:5000/300"]),
    [{ "host:5000/300:latest": 300 }],
    [28],
  ],
])("%s", (_, one, nodes, expected) => {
  const snapshot = snapshotOf(...nodes);
  const state = imageLocality.preScore?.(one, snapshot);
  expect(snapshot.nodes.map((node) => state?.score(node))).toEqual(expected);
});

test("images that no node has make no difference", () => {
  expect(imageLocality.preScore?.(pod(["other"]), snapshotOf(first))).toBeUndefined();
});
