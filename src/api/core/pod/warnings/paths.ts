import { mostWarnings } from "../../../../meta/strategy.ts";
import type { Volume } from "../../volume/schema.ts";
import type { VolumeProjection } from "../../volume/projection.ts";
import { by } from "../../../../util/compare.ts";

/** The path of a file in a volume and its source. The source is absent if the volume has one source only. */
interface Place {
  readonly path: string;
  readonly source: string;
}

type Items = readonly { readonly path: string }[] | undefined;

/** Warnings about files of one volume that overwrite each other or conflict with a directory. */
export function pathWarnings({ name, configMap, secret, downwardAPI, projected }: Volume): readonly string[] {
  const of = (what: string, texts: readonly string[]) =>
    texts.map((text) => `volume ${JSON.stringify(name)} (${what}): overlapping paths: ${text}`);
  return [
    ...of(`ConfigMap ${JSON.stringify(configMap?.name ?? "")}`, overlaps(places(configMap?.items, ""))),
    ...of(`Secret ${JSON.stringify(secret?.secretName ?? "")}`, overlaps(places(secret?.items, ""))),
    ...of("DownwardAPI", overlaps(places(downwardAPI?.items, ""))),
    ...(projected?.sources ?? [])
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${JSON.stringify(name)} (Projected) has no sources provided`),
    ...of("Projected", overlaps((projected?.sources ?? []).flatMap(projectedPlaces))),
  ];
}

function places(items: Items, source: string): readonly Place[] {
  return (items ?? []).map(({ path }) => ({ path, source }));
}

function projectedPlaces(projection: VolumeProjection): readonly Place[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } =
    projection;
  const trust = clusterTrustBundle?.name ?? clusterTrustBundle?.signerName ?? "";
  return [
    ...places(configMap?.items, `ConfigMap ${JSON.stringify(configMap?.name ?? "")}`),
    ...places(secret?.items, `Secret ${JSON.stringify(secret?.name ?? "")}`),
    ...places(downwardAPI?.items, "DownwardAPI"),
    ...place(serviceAccountToken?.path, "ServiceAccountToken"),
    ...place(clusterTrustBundle?.path, `ClusterTrustBundle ${JSON.stringify(trust)}`),
    ...place(podCertificate?.certificateChainPath, "PodCertificate chain"),
    ...place(podCertificate?.keyPath, "PodCertificate key"),
    ...place(podCertificate?.credentialBundlePath, "PodCertificate credential bundle"),
  ];
}

function place(path: string | undefined, source: string): readonly Place[] {
  return path === undefined || path === "" ? [] : [{ path, source }];
}

/** Each path with the previous paths that it overlaps. Sorting puts a path before the paths below it. */
function overlaps(given: readonly Place[]): readonly string[] {
  const all = given
    .map(({ path, source }) => ({ path: withoutTrailingSlashes(path), source }))
    .filter(({ path }) => path !== "");
  if (all.length < 2) return [];
  const sorted = all
    .map(({ path }, index) => ({ prefix: `${path}/`.replaceAll("/", "\0"), index }))
    .sort(by(({ prefix }) => prefix));
  /** The paths that contain the current one. */
  const open: typeof sorted = [];
  const pairs: (readonly [number, number])[] = [];
  for (const one of sorted) {
    while (open.length > 0 && !one.prefix.startsWith(open.at(-1)?.prefix ?? "")) open.pop();
    for (const other of open) {
      if (pairs.length >= mostWarnings) break;
      pairs.push([Math.max(one.index, other.index), Math.min(one.index, other.index)]);
    }
    open.push(one);
  }
  pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return pairs.map(([later, earlier]) => `${shown(all[later])} with ${shown(all[earlier])}`);
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

function shown({ path, source }: Place = { path: "", source: "" }): string {
  return source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
