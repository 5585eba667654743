import type { KubeObject } from "../../../meta/kind.ts";
import type { StatusError } from "../../../meta/status.ts";
import { type Random, uuid } from "../../../util/random.ts";
import type { WebhookClient, WebhookTarget } from "../../webhooks/webhook-client.ts";
import { reviewRequest, reviewResponse, type ReviewVersion, reviewVersion } from "./conversion-review.ts";
import { acceptConverted, ConvertedObjectError, type Json } from "./converted-object.ts";
import { conversionError, type Converter } from "./converter.ts";
import { errorText } from "../../../util/error-text.ts";

interface Webhook {
  readonly clientConfig?: WebhookTarget;
  /** The supported versions, by preference. */
  readonly conversionReviewVersions: readonly string[];
}

/** An object to be converted, with its caller's promise. */
interface Waiting {
  readonly object: KubeObject;
  readonly resolve: (converted: KubeObject) => void;
  readonly reject: (error: StatusError) => void;
}

/** Returns a converter that calls a webhook: once for all objects of one turn, such as those of a list. */
export function webhookConverter(
  { clientConfig = {}, conversionReviewVersions }: Webhook,
  client: WebhookClient,
  random: Random,
): Converter {
  const batches = new Map<string, Waiting[]>();
  const version = reviewVersion(conversionReviewVersions);
  if (version === undefined) {
    return () => {
      throw conversionError("no supported conversion review versions");
    };
  }
  const ask = (request: string) => client.post(clientConfig, request);
  return (object, apiVersion) => {
    const { promise, resolve, reject } = Promise.withResolvers<KubeObject>();
    const waiting = { object, resolve, reject };
    const batch = batches.get(apiVersion);
    if (batch !== undefined) batch.push(waiting);
    else {
      const begun = [waiting];
      batches.set(apiVersion, begun);
      queueMicrotask(() => {
        batches.delete(apiVersion);
        void convertAll(begun, apiVersion, version, uuid(random), ask);
      });
    }
    return promise;
  };
}

/** Settles all waiting callers; never rejects. */
async function convertAll(
  batch: readonly Waiting[],
  apiVersion: string,
  version: ReviewVersion,
  uid: string,
  ask: (request: string) => Promise<string>,
): Promise<void> {
  const objects = batch.map(({ object }) => object);
  try {
    const request = reviewRequest(version, uid, objects, apiVersion);
    const converted = reviewResponse(version, uid, await ask(request));
    const isWhole = converted.length === batch.length;
    for (const [i, one] of batch.entries()) {
      const place = batch.length > 1 ? i : undefined;
      if (isWhole) settle(one, converted[i] ?? {}, apiVersion, place);
      else {
        const counts = `returned ${converted.length} objects, expected ${batch.length}`;
        one.reject(failure(one.object, counts));
      }
    }
  } catch (error) {
    const why = errorText(error);
    for (const one of batch) one.reject(failure(one.object, `failed: ${why}`, error));
  }
}

/** `index` is the object's position in a batch of several. */
function settle(
  { object, resolve, reject }: Waiting,
  converted: Json,
  apiVersion: string,
  index?: number,
): void {
  try {
    resolve(acceptConverted(object, converted, apiVersion));
  } catch (error) {
    if (!(error instanceof ConvertedObjectError)) throw error;
    reject(failure(object, `returned invalid ${nameOf(error.part, index)}: ${error.message}`, error));
  }
}

function nameOf(part: ConvertedObjectError["part"], index: number | undefined): string {
  if (part === "metadata") return index === undefined ? "metadata" : `metadata in object at index ${index}`;
  if (index !== undefined) return `converted object at index ${index}`;
  return part === "type" ? "object at index 0" : "object";
}

function failure({ apiVersion, kind }: KubeObject, what: string, cause?: unknown): StatusError {
  return conversionError(`conversion webhook for ${apiVersion}, Kind=${kind} ${what}`, cause);
}
