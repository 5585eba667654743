import { UsageError } from "../cli/flags.ts";
import type { Clock } from "../util/clock.ts";
import type { Logger } from "../util/logger.ts";
import { writeOutput } from "./write-output.ts";

const levels = ["debug", "info", "warn", "error"] as const;
type Level = (typeof levels)[number];

/** Reads the value of `--log-level`. @throws UsageError */
export function levelOf(text: string): Level {
  const level = levels.find((one) => one === text);
  if (level !== undefined) return level;
  throw new UsageError(`--log-level must be one of ${levels.join(", ")}`);
}

/**
 * Writes one line for each message to standard error: time, level, message, facts. Newlines are escaped in
 * quotes.
 */
export function textLogger(
  clock: Clock,
  threshold: Level,
  writeText: (text: string) => void = (text) => writeOutput(process.stderr, text),
  facts: object = {},
): Logger {
  const write =
    (level: Level) =>
    (message: string, more: object = {}) => {
      if (levels.indexOf(level) < levels.indexOf(threshold)) return;
      const time = new Date(clock.now()).toISOString();
      const pairs = Object.entries({ ...facts, ...more }).map(([name, value]) => ` ${name}=${show(value)}`);
      writeText(`${time} ${level.toUpperCase()} ${message}${pairs.join("")}\n`);
    };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    with: (more) => textLogger(clock, threshold, writeText, { ...facts, ...more }),
  };
}

function show(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  return /^[\w./:@-]+$/.test(text) ? text : JSON.stringify(text);
}
