import { parseExactly, toJson } from "../../../meta/json.ts";
import type { KubeObject } from "../../../meta/kind.ts";
import { isObject } from "../../../util/is-object.ts";
import type { Json } from "./converted-object.ts";

/** The messages of conversion webhooks: `apiextensions.k8s.io/v1` and `v1beta1` ConversionReview. */

const group = "apiextensions.k8s.io";
export type ReviewVersion = "v1" | "v1beta1";

/** Returns the first version that the server supports; undefined when it supports none. */
export function reviewVersion(versions: readonly string[]): ReviewVersion | undefined {
  return versions.find((version) => version === "v1" || version === "v1beta1");
}

export function reviewRequest(
  version: ReviewVersion,
  uid: string,
  objects: readonly KubeObject[],
  desiredAPIVersion: string,
): string {
  return toJson({
    kind: "ConversionReview",
    apiVersion: `${group}/${version}`,
    request: { uid, desiredAPIVersion, objects },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  });
}

/** Returns the converted objects in the order of the request. @throws Error in upstream's words. */
export function reviewResponse(version: ReviewVersion, uid: string, answer: string): readonly Json[] {
  const review = parsed(answer);
  mustBeReview(review, version);
  const { response } = review;
  if (!isObject(response)) throw new Error("no response provided");
  if (version === "v1" && response["uid"] !== uid) {
    throw new Error(`expected response.uid="${uid}", got ${JSON.stringify(response["uid"] ?? "")}`);
  }
  const result = isObject(response["result"]) ? response["result"] : {};
  const { status = "", message } = result;
  if (status !== "Success") {
    if (typeof message === "string" && message !== "") throw new Error(message);
    throw new Error(`response.result.status was '${String(status)}', not 'Success'`);
  }
  const { convertedObjects } = response;
  return Array.isArray(convertedObjects) ? convertedObjects.map((one) => (isObject(one) ? one : {})) : [];
}

function parsed(answer: string): Json {
  try {
    const review = parseExactly(answer) ?? {};
    if (isObject(review)) return review;
  } catch {
    // The error below reports any cause.
  }
  throw new Error("couldn't get version/kind; json parse error: the answer is no JSON object");
}

function mustBeReview({ apiVersion = "/", kind = "" }: Json, version: ReviewVersion): void {
  const wanted = `${group}/${version}, Kind=ConversionReview`;
  const found = `${String(apiVersion)}, Kind=${String(kind)}`;
  // The older version never required a kind.
  if (found === wanted || (version === "v1beta1" && kind === "")) return;
  throw new Error(`expected webhook response of ${wanted}, got ${found}`);
}
