import type { Volume } from "../v1/volume.ts";
import type { VolumeProjection } from "../v1/volume-projection.ts";

/** Where a volume puts a file, and what of; the source is left out where there is only one. */
interface Place {
  readonly path: string;
  readonly source: string;
}

type Items = readonly { readonly path: string }[] | undefined;

/** Files of one volume of which one hides another, or stands where another needs a directory. */
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

function overlaps(given: readonly Place[]): readonly string[] {
  const all = given
    .map(({ path, source }) => ({ path: path.replace(/\/+$/, ""), source }))
    .filter(({ path }) => path !== "");
  return all.flatMap((one, i) =>
    all
      .slice(0, i)
      .filter((other) => isWithin(one.path, other.path) || isWithin(other.path, one.path))
      .map((other) => `${shown(one)} with ${shown(other)}`),
  );
}

function isWithin(inner: string, outer: string): boolean {
  return `${inner}/`.startsWith(`${outer}/`);
}

function shown({ path, source }: Place): string {
  return source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
