const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stages = ["alpha", "beta", undefined];

/**
 * Compares API versions by preference: v2, v1, v1beta2, alphas, other names (apimachinery
 * `version.CompareKubeAwareVersionStrings`).
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
