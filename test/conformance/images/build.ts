import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type Program, built } from "../build.ts";

/** Everything in the image of tools, which the other images build on. */
const tools =
  "bash bind9-dnsutils busybox coreutils curl dash findutils grep gzip hostname iperf iproute2 iputils-ping libc-bin mount netcat-openbsd nginx procps sed tar util-linux";
const programs = [
  "go.etcd.io/etcd/server/v3",
  "k8s.io/kubernetes/test/images/agnhost",
  "k8s.io/kubernetes/test/images/nonewprivs",
  "k8s.io/sample-apiserver",
];
const images: Program = {
  name: "images",
  needs: ["go", "apt-get", "dpkg-deb"],
  folder: "../images",
  sources: ["../images"],
  build: (out) => [
    [
      "env",
      "CGO_ENABLED=0",
      "go",
      "build",
      "-trimpath",
      "-ldflags=-s -w",
      "-o",
      join(out, "programs/"),
      ...programs,
    ],
    ["sh", "debian-root.sh", join(out, "debian"), ...tools.split(" ")],
    ["sh", "debian-root.sh", join(out, "busybox"), "bash", "busybox"],
    [process.execPath, "assemble.ts", out],
  ],
};

/** Puts the tests' images into the image store of a cluster that does not run yet. */
export function addImages(dataDirectory: string): void {
  execFileSync("mkdir", ["-p", dataDirectory]);
  execFileSync("cp", ["-a", join(built(images), "store"), join(dataDirectory, "images")]);
}
