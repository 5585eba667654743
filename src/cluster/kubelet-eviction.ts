import {
  defaultEvictionHard,
  type EvictionSettings,
  formatAmount,
  parseThresholds,
  resourceOf,
  type Threshold,
} from "../kubelet/eviction/thresholds.ts";
import { ConfigurationError } from "../meta/component-configuration.ts";
import { parseGoDuration } from "../meta/protobuf/go-duration.ts";
import { boolean, int32, map, optional, pointer, string } from "../meta/schema.ts";
import { errorText } from "../util/error-text.ts";

/** The fields of KubeletConfiguration about pressure on the node. */
export const evictionFields = {
  evictionHard: optional(16, map(string), "The hard thresholds by signal."),
  evictionSoft: optional(17, map(string), "The soft thresholds by signal."),
  evictionSoftGracePeriod: optional(18, map(string), "The grace periods of soft thresholds."),
  evictionMinimumReclaim: optional(19, map(string), "The amounts to reclaim at least."),
  evictionPressureTransitionPeriod: optional(20, string, "The time for which a condition stays."),
  evictionMaxPodGracePeriod: optional(21, int32, "The longest grace period of Pods, in seconds."),
  mergeDefaultEvictionSettings: pointer(22, boolean, "Keeps the defaults of thresholds that are not given."),
  imageMinimumGCAge: optional(23, string, "The age below which unused images stay."),
  imageMaximumGCAge: optional(24, string, "The age at which unused images are removed."),
  imageGCHighThresholdPercent: pointer(25, int32, "The used part of the disk at which images are removed."),
  imageGCLowThresholdPercent: pointer(26, int32, "The used part of the disk at which that ends."),
};

type Statements = Readonly<Record<string, string>>;

export interface EvictionFields {
  readonly evictionHard?: Statements | undefined;
  readonly evictionSoft?: Statements | undefined;
  readonly evictionSoftGracePeriod?: Statements | undefined;
  readonly evictionMinimumReclaim?: Statements | undefined;
  readonly evictionPressureTransitionPeriod?: string | undefined;
  readonly evictionMaxPodGracePeriod?: number | undefined;
  readonly mergeDefaultEvictionSettings?: boolean | undefined;
  readonly imageMinimumGCAge?: string | undefined;
  readonly imageMaximumGCAge?: string | undefined;
  readonly imageGCHighThresholdPercent?: number | undefined;
  readonly imageGCLowThresholdPercent?: number | undefined;
}

/** Returns the settings with upstream's defaults. @throws ConfigurationError */
export function evictionSettings(fields: EvictionFields): EvictionSettings {
  const { evictionHard, mergeDefaultEvictionSettings } = fields;
  const { imageGCHighThresholdPercent: high = 85, imageGCLowThresholdPercent: low = 80 } = fields;
  const refuse = (text: string) => new ConfigurationError(`invalid configuration: ${text}`);
  if (high < 0 || high > 100)
    throw refuse(
      `imageGCHighThresholdPercent (--image-gc-high-threshold) ${high} must be between 0 and 100, inclusive`,
    );
  if (low < 0 || low > 100)
    throw refuse(
      `imageGCLowThresholdPercent (--image-gc-low-threshold) ${low} must be between 0 and 100, inclusive`,
    );
  if (low >= high)
    throw refuse(
      `imageGCLowThresholdPercent (--image-gc-low-threshold) ${low} must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) ${high}`,
    );
  const keepsDefaults = mergeDefaultEvictionSettings === true || evictionHard === undefined;
  try {
    return {
      thresholds: parseThresholds({
        hard: { ...(keepsDefaults && defaultEvictionHard), ...evictionHard },
        soft: fields.evictionSoft ?? {},
        softGraceMs: Object.fromEntries(
          Object.entries(fields.evictionSoftGracePeriod ?? {}).map(([name, text]) => [
            name,
            millis(name, text),
          ]),
        ),
        minimumReclaim: fields.evictionMinimumReclaim ?? {},
      }),
      transitionMs: millis(
        "evictionPressureTransitionPeriod",
        fields.evictionPressureTransitionPeriod,
        300_000,
      ),
      maxGraceMs: (fields.evictionMaxPodGracePeriod ?? 0) * 1000,
      imageHighPercent: high,
      imageLowPercent: low,
      imageMinAgeMs: millis("imageMinimumGCAge", fields.imageMinimumGCAge, 120_000),
      imageMaxAgeMs: millis("imageMaximumGCAge", fields.imageMaximumGCAge, 0),
    };
  } catch (error) {
    throw error instanceof ConfigurationError ? error : refuse(errorText(error));
  }
}

/** Returns the settings as `/configz` shows them. */
export function shownEviction(settings: EvictionSettings): object {
  const list = (chosen: readonly Threshold[], of: (one: Threshold) => string) =>
    Object.fromEntries(chosen.map((one) => [one.signal, of(one)]));
  const text = ({ signal, value }: Threshold) =>
    "amount" in value ? formatAmount(resourceOf(signal), value.amount) : `${value.fraction * 100}%`;
  const soft = settings.thresholds.filter(({ graceMs }) => graceMs > 0);
  const hard = settings.thresholds.filter(({ graceMs }) => graceMs === 0);
  const seconds = (ms: number) => `${ms / 1000}s`;
  return {
    evictionHard: list(hard, text),
    ...(soft.length > 0 && {
      evictionSoft: list(soft, text),
      evictionSoftGracePeriod: list(soft, ({ graceMs }) => seconds(graceMs)),
    }),
    evictionPressureTransitionPeriod: seconds(settings.transitionMs),
    imageGCHighThresholdPercent: settings.imageHighPercent,
    imageGCLowThresholdPercent: settings.imageLowPercent,
    imageMinimumGCAge: seconds(settings.imageMinAgeMs),
    imageMaximumGCAge: seconds(settings.imageMaxAgeMs),
  };
}

/** Parses a duration; 0 and an empty one are the default, as upstream has it. @throws ConfigurationError */
export function millis(field: string, text: string | undefined, missing = 0): number {
  if (text === undefined || text === "") return missing;
  const nanos = parseGoDuration(text);
  if (nanos === undefined || nanos < 0n)
    throw new ConfigurationError(`${field}: Invalid value: ${JSON.stringify(text)}: must be a duration`);
  return nanos === 0n ? missing : Number(nanos / 1_000_000n);
}

/**
 * Returns the settings of a cluster on this machine: its disk belongs to others too, and may be fuller than upstream's
 * thresholds allow, so that only memory is watched, as with kind.
 */
export const localEviction: EvictionSettings = evictionSettings({
  evictionHard: { "memory.available": "100Mi" },
  imageGCHighThresholdPercent: 100,
});
