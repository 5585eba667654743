const verbs: ReadonlyMap<string, string> = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

/** The subresources by the first segment of a path. Any one of them allows the request. */
const subresources: ReadonlyMap<string, readonly string[]> = new Map([
  ["pods", ["pods", "proxy"]],
  ["runningpods", ["pods", "proxy"]],
  ["healthz", ["healthz", "proxy"]],
  ["configz", ["configz", "proxy"]],
  ["stats", ["stats"]],
  ["metrics", ["metrics"]],
  ["logs", ["log"]],
  ["checkpoint", ["checkpoint"]],
  ["statusz", ["statusz"]],
  ["flagz", ["configz"]],
]);

const others: readonly string[] = ["proxy"];

/** The permission that a request needs: the verb, on any one of the node's subresources. */
export interface NodeAttributes {
  /** Empty for a method without a verb, as upstream. */
  readonly verb: string;
  readonly subresources: readonly string[];
}

/** Returns the permission that a request needs (kubelet `server/auth.go`). */
export function attributesOf(method: string, [first = ""]: readonly string[]): NodeAttributes {
  return { verb: verbs.get(method) ?? "", subresources: subresources.get(first) ?? others };
}
