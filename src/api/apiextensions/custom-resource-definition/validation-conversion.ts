import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
} from "../../../meta/field-error.ts";
import { label1035Problems } from "../../../meta/validation/dns.ts";
import { report, validateOneOf } from "../../../meta/validation/report.ts";
import {
  validateCaBundle,
  validateWebhookService,
  validateWebhookUrl,
} from "../../../meta/validation/webhook.ts";
import { type DefinitionOptions, reviewVersions } from "./stored.ts";
import type { CustomResourceConversion, WebhookClientConfig } from "./schema.ts";
import { repeats } from "../../../util/repeats.ts";

/** Validates the conversion. The error paths are those of `v1beta1`, as in upstream's messages. */
export function* validateConversion(
  { strategy, webhook }: CustomResourceConversion,
  path: FieldPath,
  options: DefinitionOptions,
): Generator<FieldError> {
  yield* validateOneOf(strategy, ["None", "Webhook"], path.child("strategy"));
  const clientPath = path.child("webhookClientConfig");
  const versionsPath = path.child("conversionReviewVersions");
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy !== "Webhook") {
    const detail = "should not be set when strategy is not set to Webhook";
    if (webhook?.clientConfig !== undefined) yield forbidden(clientPath, detail);
    if (versions.length > 0) yield forbidden(versionsPath, detail);
    return;
  }
  if (webhook?.clientConfig === undefined) {
    yield requiredValue(clientPath, "required when strategy is set to Webhook");
  } else yield* validateClientConfig(webhook.clientConfig, clientPath, options);
  yield* validateReviewVersions(versions, versionsPath, options);
}

function* validateClientConfig(
  { url, service, caBundle }: WebhookClientConfig,
  path: FieldPath,
  { requireCaBundle }: DefinitionOptions,
): Generator<FieldError> {
  if ((url === undefined) === (service === undefined)) {
    yield requiredValue(path, "exactly one of url or service is required");
  } else if (url !== undefined) yield* validateWebhookUrl(url, path.child("url"));
  else if (service !== undefined) {
    // Upstream passes both names in the wrong order. Its error messages depend on that.
    const swapped = { ...service, name: service.namespace, namespace: service.name };
    yield* validateWebhookService(swapped, path.child("service"));
  }
  if (caBundle !== undefined && requireCaBundle) yield* validateCaBundle(caBundle, path.child("caBundle"));
}

function* validateReviewVersions(
  versions: readonly string[],
  path: FieldPath,
  { requireKnownReviewVersion }: DefinitionOptions,
): Generator<FieldError> {
  if (versions.length === 0) {
    yield requiredValue(path);
    return;
  }
  const repeated = repeats(versions);
  for (const [i, version] of versions.entries()) {
    if (repeated.has(i)) yield invalid(path.index(i), version, "duplicate version");
    else yield* report(path.index(i), version, label1035Problems(version));
  }
  if (requireKnownReviewVersion && !versions.some((version) => reviewVersions.includes(version))) {
    yield invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`);
  }
}
