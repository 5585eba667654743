import {
  duplicate,
  type FieldError,
  FieldPath,
  invalid,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { label1035Problems, subdomainProblems } from "../../../meta/validation/dns.ts";
import { validateLabelSelector } from "../../../meta/validation/labels.ts";
import { report, validateKnown } from "../../../meta/validation/report.ts";
import { validateWebhookService, validateWebhookUrl } from "../../../meta/validation/webhook.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { checkNothing, type ExpressionChecker } from "../expressions.ts";
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from "./schema.ts";
import { validateMatchConditions, validateRule } from "../validation-matching.ts";
import { repeats } from "../../../util/repeats.ts";

type Webhook = ValidatingWebhook | MutatingWebhook;
type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;

/** Permissions that depend on the stored configuration. A new configuration gets the strict ones. */
interface Options {
  readonly allowSideEffects: boolean;
  readonly allowUnknownReviews: boolean;
  readonly allowSameNames: boolean;
  readonly allowBadSelectorValues: boolean;
  readonly checksConditions: boolean;
  readonly checker: ExpressionChecker;
}

const reviewVersions = ["v1", "v1beta1"];
const harmless = ["None", "NoneOnDryRun"];
const sideEffects = ["None", "NoneOnDryRun", "Some", "Unknown"];
const nowhere = new FieldPath("");

export function* validateWebhooks<T extends Configuration>(
  configuration: T,
  old?: T,
  checker = checkNothing,
): Generator<FieldError> {
  const webhooks: readonly Webhook[] = configuration.webhooks ?? [];
  const options = optionsFor(webhooks, old?.webhooks, checker);
  const names = new Set<string>();
  for (const [i, webhook] of webhooks.entries()) {
    const path = root.child("webhooks").index(i);
    yield* validateWebhook(webhook, path, options);
    yield* validateReviewVersions(webhook, path.child("admissionReviewVersions"), options);
    const { name } = webhook;
    if (names.has(name) && name !== "" && !options.allowSameNames) yield duplicate(path.child("name"), name);
    names.add(name);
  }
}

/** Permits an update to keep values that the stored configuration already has and that newer rules forbid. */
function optionsFor(
  webhooks: readonly Webhook[],
  old: readonly Webhook[] | undefined,
  checker: ExpressionChecker,
): Options {
  const before = old ?? [];
  const conditions = before.map(({ matchConditions }) => matchConditions);
  const isKnown = (version: string) => reviewVersions.includes(version);
  const isSame =
    old?.length === webhooks.length &&
    webhooks.every(({ matchConditions }, i) => deepEqual(matchConditions, conditions[i]));
  return {
    allowSideEffects: before.some(({ sideEffects = "" }) => !harmless.includes(sideEffects)),
    allowUnknownReviews: before.some(
      ({ admissionReviewVersions: known }) => known.length > 0 && !known.some(isKnown),
    ),
    allowSameNames: new Set(before.map(({ name }) => name)).size < before.length,
    allowBadSelectorValues: before.some((webhook) => [...validateSelectors(webhook, nowhere)].length > 0),
    checksConditions: !isSame,
    checker,
  };
}

function* validateSelectors(webhook: Webhook, path: FieldPath): Generator<FieldError> {
  yield* validateLabelSelector(webhook.namespaceSelector, path.child("namespaceSelector"));
  yield* validateLabelSelector(webhook.objectSelector, path.child("objectSelector"));
}

function* validateWebhook(webhook: Webhook, path: FieldPath, options: Options): Generator<FieldError> {
  yield* validateName(webhook.name, path.child("name"));
  for (const [i, rule] of (webhook.rules ?? []).entries()) {
    yield* validateRule(rule, path.child("rules").index(i));
  }
  yield* validatePolicies(webhook, path, options);
  const { timeoutSeconds: timeout } = webhook;
  if (timeout !== undefined && (timeout < 1 || timeout > 30)) {
    yield invalid(
      path.child("timeoutSeconds"),
      timeout,
      "the timeout value must be between 1 and 30 seconds",
    );
  }
  for (const error of validateSelectors(webhook, path)) {
    const isValue = /\.values\[\d+\]$/.test(error.field);
    if (!isValue || !options.allowBadSelectorValues) yield error;
  }
  if ("reinvocationPolicy" in webhook) {
    yield* validateKnown(webhook.reinvocationPolicy, ["IfNeeded", "Never"], path.child("reinvocationPolicy"));
  }
  yield* validateClientConfig(webhook.clientConfig, path.child("clientConfig"));
  if (!options.checksConditions) return;
  const check = options.checker({ hasParams: false, hasVariables: false });
  yield* validateMatchConditions(webhook.matchConditions ?? [], path.child("matchConditions"), check);
}

function* validateName(name: string, path: FieldPath): Generator<FieldError> {
  const problems = subdomainProblems(name);
  if (name === "") yield requiredValue(path);
  else if (problems.length > 0) yield invalid(path, name, problems.join(","));
  else if (name.split(".").length < 3) {
    yield invalid(path, name, "should be a domain with at least three segments separated by dots");
  }
}

function* validatePolicies(webhook: Webhook, path: FieldPath, options: Options): Generator<FieldError> {
  yield* validateKnown(webhook.failurePolicy, ["Fail", "Ignore"], path.child("failurePolicy"));
  yield* validateKnown(webhook.matchPolicy, ["Equivalent", "Exact"], path.child("matchPolicy"));
  const allowed = options.allowSideEffects ? sideEffects : harmless;
  const place = path.child("sideEffects");
  if (webhook.sideEffects === undefined)
    yield requiredValue(place, `must specify one of ${allowed.join(", ")}`);
  else yield* validateKnown(webhook.sideEffects, allowed, place);
}

function* validateClientConfig(
  { url, service }: WebhookClientConfig,
  path: FieldPath,
): Generator<FieldError> {
  if ((url === undefined) === (service === undefined)) {
    yield requiredValue(path, "exactly one of url or service is required");
  } else if (url !== undefined) yield* validateWebhookUrl(url, path.child("url"));
  else if (service !== undefined) {
    // Upstream passes both names in the wrong order. Its error messages depend on that.
    const swapped = { ...service, name: service.namespace, namespace: service.name };
    yield* validateWebhookService(swapped, path.child("service"));
  }
}

function* validateReviewVersions(
  { admissionReviewVersions: versions }: Webhook,
  path: FieldPath,
  { allowUnknownReviews }: Options,
): Generator<FieldError> {
  const known = reviewVersions.join(", ");
  if (versions.length === 0) {
    yield requiredValue(path, `must specify one of ${known}`);
    return;
  }
  const repeated = repeats(versions);
  for (const [i, version] of versions.entries()) {
    if (repeated.has(i)) yield invalid(path.index(i), version, "duplicate version");
    else yield* report(path.index(i), version, label1035Problems(version));
  }
  if (!allowUnknownReviews && !versions.some((version) => reviewVersions.includes(version))) {
    yield invalid(path, versions, `must include at least one of ${known}`);
  }
}
