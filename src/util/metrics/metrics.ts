import { by } from "../compare.ts";
import { Counter, type Family, Gauge, Histogram, type Metric } from "./metric.ts";

/**
 * The metrics of one process, in the text format of Prometheus. Parts of the process that count the same thing ask for
 * the same family, and share it.
 */
export class Metrics {
  readonly #families = new Map<string, Metric>();
  readonly #collectors = new Set<() => void>();

  counter<L extends string = never>(family: Family<L>): Counter<L> {
    return this.#family(family.name, Counter<L>, () => new Counter(family));
  }

  gauge<L extends string = never>(family: Family<L>): Gauge<L> {
    return this.#family(family.name, Gauge<L>, () => new Gauge(family));
  }

  /** `bounds` are the upper bounds of the buckets, ascending. */
  histogram<L extends string = never>(family: Family<L>, bounds: readonly number[]): Histogram<L> {
    return this.#family(family.name, Histogram<L>, () => new Histogram(family, bounds));
  }

  /** Calls a function before each scrape, for values that are only measured then. Returns its removal. */
  beforeScrape(collect: () => void): () => void {
    this.#collectors.add(collect);
    return () => void this.#collectors.delete(collect);
  }

  /** All families, by name, in the text format 0.0.4. */
  text(): string {
    for (const collect of this.#collectors) collect();
    const lines: string[] = [];
    for (const metric of [...this.#families.values()].sort(by(({ name }) => name))) {
      const own = [...metric.lines()];
      if (own.length === 0) continue;
      lines.push(`# HELP ${metric.name} ${metric.help}`, `# TYPE ${metric.name} ${metric.type}`, ...own);
    }
    return `${lines.join("\n")}\n`;
  }

  #family<M extends Metric>(name: string, type: abstract new (...args: never) => M, make: () => M): M {
    const known = this.#families.get(name);
    if (known instanceof type) return known;
    if (known !== undefined) throw new TypeError(`${name} is already a ${known.type}`);
    const made = make();
    this.#families.set(name, made);
    return made;
  }
}

/** The content type of a scrape. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8";
