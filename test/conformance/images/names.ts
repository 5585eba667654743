import type { ImageConfig } from "../../../src/kubelet/images/image.ts";

/** An image of the tests: one layer, made of parts of the folder where everything is built. */
export interface TestImage {
  /** The name in upstream's tests (`test/utils/image/manifest.go`); the first one is built, the others are its tags. */
  readonly name: string;
  readonly base?: string;
  /** Sources below the build folder, or `module:` and a path in upstream's module, by their paths in the image. */
  readonly files?: Readonly<Record<string, string>>;
  /** Contents by paths in the image. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Targets by the paths of the links. */
  readonly links?: Readonly<Record<string, string>>;
  /** Modes by paths in the image; folders are made. */
  readonly modes?: Readonly<Record<string, number>>;
  readonly config?: Partial<ImageConfig>;
}

const tests = "registry.k8s.io/e2e-test-images";
const debian = "knarr.local/debian:latest";
const agnhost = `${tests}/agnhost:2.63.0`;
const path = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"];
const folders = { tmp: 0o1777, root: 0o700, proc: 0o555, sys: 0o555, dev: 0o755, run: 0o755 };

/** Configures nginx like the image of the tests: one server on port 80, with its log on the container's streams. */
const nginxConfiguration = `user www-data;
events {}
error_log /dev/stderr;
pid /run/nginx.pid;
http {
  include /etc/nginx/mime.types;
  access_log /dev/stdout;
  server { listen 80; root /usr/share/nginx/html; }
}
`;

/**
 * Starts busybox' shell, or bash if the environment has names that no shell can use, such as `data-1`: Debian's busybox
 * removes those.
 */
const shell = String.raw`#!/bin/bash
while IFS= read -r -d '' line; do
  [[ $line =~ ^[A-Za-z_][A-Za-z_0-9]*= ]] || exec /bin/bash "$@"
done </proc/self/environ
exec -a /bin/sh /bin/busybox "$@"
`;

/** The user and the group of `SupplementalGroups`' tests, and what else `agnhost` has besides the program. */
const agnhostFiles: Omit<TestImage, "name"> = {
  base: debian,
  files: {
    agnhost: "programs/agnhost",
    "localhost.crt": "module:test/images/agnhost/porter/localhost.crt",
    "localhost.key": "module:test/images/agnhost/porter/localhost.key",
  },
  links: { "agnhost-2": "agnhost", "usr/local/bin/wget": "/usr/bin/busybox" },
  modes: { uploads: 0o755 },
  config: { entrypoint: ["/agnhost"], cmd: ["pause"], env: path },
};

function webPage(name: string): TestImage {
  const html = `module:test/images/${name}/html`;
  return {
    name: `${tests}/${name}:1.8`,
    base: agnhost,
    files: { [`${name}.jpg`]: `${html}/${name}.jpg`, "data.json": `${html}/data.json` },
    config: { cmd: ["test-webserver"] },
  };
}

/** The images of the conformance tests, each after its base. */
export const testImages: readonly TestImage[] = [
  {
    name: debian,
    files: { "": "debian" },
    texts: {
      "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
      "etc/nginx/nginx.conf": nginxConfiguration,
    },
    modes: folders,
    config: { cmd: ["/bin/sh"], env: path },
  },
  { name: agnhost, ...agnhostFiles },
  // A folder more, because tests tell the two versions apart by their image IDs.
  { name: `${tests}/agnhost:2.55`, ...agnhostFiles, modes: { uploads: 0o755, previous: 0o755 } },
  {
    name: `${tests}/busybox:1.37.0-1`,
    files: { "": "busybox" },
    texts: { "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n", "bin/sh": shell },
    modes: { ...folders, "bin/sh": 0o755 },
    config: { cmd: ["sh"], env: path },
  },
  {
    name: "registry.k8s.io/pause:3.10.2",
    base: agnhost,
    config: { entrypoint: ["/agnhost", "pause"], cmd: [] },
  },
  { name: `${tests}/nonroot:1.5`, base: debian, config: { user: "1234" } },
  {
    name: `${tests}/nonewprivs:1.4`,
    base: debian,
    files: { "usr/local/bin/nnp": "programs/nonewprivs" },
    modes: { "usr/local/bin/nnp": 0o6755 },
    config: { cmd: ["nnp"] },
  },
  { name: `${tests}/nginx:1.27-0`, base: debian, config: { cmd: ["nginx", "-g", "daemon off;"] } },
  {
    name: `${tests}/nginx:1.15-4`,
    base: debian,
    modes: { previous: 0o755 },
    config: { cmd: ["nginx", "-g", "daemon off;"] },
  },
  { name: `${tests}/glibc-dns-testing:2.0.0`, base: debian, config: { cmd: ["/bin/bash"] } },
  webPage("kitten"),
  webPage("nautilus"),
  {
    name: `${tests}/sample-apiserver:1.29.2`,
    files: { "sample-apiserver": "programs/sample-apiserver" },
    modes: folders,
    config: { entrypoint: ["/sample-apiserver"], env: path },
  },
  {
    name: "registry.k8s.io/etcd:3.6.8-0",
    base: debian,
    files: { "usr/local/bin/etcd": "programs/server" },
    config: { cmd: ["etcd"], env: path },
  },
];
