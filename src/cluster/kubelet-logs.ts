import { defaultLogSettings, type LogSettings } from "../kubelet/logs/log-rotation.ts";
import { ConfigurationError } from "../meta/component-configuration.ts";
import { parseQuantity, quantityValue } from "../meta/quantity.ts";
import { int32, optional, pointer, string } from "../meta/schema.ts";
import { errorText } from "../util/error-text.ts";
import { millis } from "./kubelet-eviction.ts";

/** The fields of KubeletConfiguration about the logs of containers. */
export const logFields = {
  containerLogMaxSize: optional(27, string, "The size at which a log is rotated."),
  containerLogMaxFiles: pointer(28, int32, "The number of files of a container."),
  containerLogMonitorInterval: optional(29, string, "The interval at which logs are looked at."),
};

export interface LogFields {
  readonly containerLogMaxSize?: string | undefined;
  readonly containerLogMaxFiles?: number | undefined;
  readonly containerLogMonitorInterval?: string | undefined;
}

/** Returns the settings with upstream's defaults. @throws ConfigurationError */
export function logSettings(fields: LogFields): LogSettings {
  const { maxBytes, maxFiles: files, intervalMs: interval } = defaultLogSettings;
  const { containerLogMaxSize: size = "", containerLogMaxFiles: maxFiles = files } = fields;
  if (maxFiles <= 1) throw new ConfigurationError(`invalid MaxFiles ${maxFiles}, must be > 1`);
  const intervalMs = millis("containerLogMonitorInterval", fields.containerLogMonitorInterval, interval);
  if (intervalMs < 3000)
    throw new ConfigurationError(
      `invalid configuration: containerLogMonitorInterval must be a positive time duration greater than or equal to 3s`,
    );
  return { maxBytes: size === "" ? maxBytes : bytesOf(size), maxFiles, intervalMs };
}

function bytesOf(size: string): number {
  try {
    return quantityValue(parseQuantity(size));
  } catch (error) {
    const why = errorText(error);
    throw new ConfigurationError(`failed to parse container log max size ${JSON.stringify(size)}: ${why}`);
  }
}

/** Returns the settings as `/configz` shows them. */
export function shownLogs({ maxBytes, maxFiles, intervalMs }: LogSettings): object {
  return {
    containerLogMaxSize: maxBytes % (1 << 20) === 0 ? `${maxBytes >> 20}Mi` : String(maxBytes),
    containerLogMaxFiles: maxFiles,
    containerLogMonitorInterval: `${intervalMs / 1000}s`,
  };
}
