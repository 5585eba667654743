const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stages = ["alpha", "beta", undefined];

/**
 * Orders API versions by how much clients should like them: v2 is above v1, v1 above v1beta2, beta above alpha,
 * and any of these above what is no such name (apimachinery `version.CompareKubeAwareVersionStrings`).
 */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [pattern.exec(a), pattern.exec(b)];
  if (one === null && other === null) return a === b ? 0 : a < b ? 1 : -1;
  if (one === null || other === null) return one === null ? -1 : 1;
  return (
    stages.indexOf(one[2]) - stages.indexOf(other[2]) ||
    Number(one[1]) - Number(other[1]) ||
    Number(one[3] ?? 0) - Number(other[3] ?? 0)
  );
}
