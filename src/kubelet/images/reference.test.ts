import { describe, expect, test } from "vitest";
import { digestName, parseReference, tagName } from "./reference.ts";

const digest = `sha256:${"ab".repeat(32)}`;

describe("parseReference", () => {
  test.each([
    ["nginx", "docker.io/library/nginx:latest"],
    ["nginx:1.27", "docker.io/library/nginx:1.27"],
    ["team/app", "docker.io/team/app:latest"],
    ["index.docker.io/nginx", "docker.io/library/nginx:latest"],
    ["localhost/app", "localhost/app:latest"],
    ["127.0.0.1:5000/a/b:v1", "127.0.0.1:5000/a/b:v1"],
    ["registry.k8s.io/pause:3.10", "registry.k8s.io/pause:3.10"],
    ["knarr.local/host:latest", "knarr.local/host:latest"],
  ])("%s means %s", (text, full) => {
    expect(tagName(parseReference(text))).toBe(full);
  });

  test("a digest may come with or without a tag", () => {
    const bare = parseReference(`nginx@${digest}`);
    expect(bare).toEqual({ registry: "docker.io", repository: "library/nginx", digest });
    expect(digestName(bare, digest)).toBe(`docker.io/library/nginx@${digest}`);
    expect(parseReference(`nginx:1.27@${digest}`)).toMatchObject({ tag: "1.27", digest });
  });

  test.each([
    "",
    "Nginx",
    "nginx:",
    "nginx:a b",
    "a//b",
    "nginx@sha256:12",
    "-x/y",
    "a/../b",
    "ab".repeat(32),
  ])("%j is refused as InvalidImageName", (text) => {
    expect(() => parseReference(text)).toThrow(
      expect.objectContaining({
        reason: "InvalidImageName",
        message: expect.stringContaining("couldn't parse"),
      }),
    );
  });
});
