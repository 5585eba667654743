import { describe, expect, test } from "vitest";
import { exponentialBounds } from "./metric.ts";
import { Metrics } from "./metrics.ts";

describe("metrics", () => {
  test("are written in Prometheus' text format, sorted by name", () => {
    const metrics = new Metrics();
    const requests = metrics.counter({ name: "requests_total", help: "Requests.", labels: ["code", "path"] });
    requests.add({ code: "200", path: "/a" });
    requests.add({ code: "200", path: "/a" }, 2);
    requests.add({ code: "500", path: 'a "quoted" \\ path\nof two lines' });
    metrics.gauge({ name: "depth", help: "Depth." }).set({}, 4);
    metrics.gauge({ name: "unused", help: "Without series." });
    const duration = metrics.histogram({ name: "seconds", help: "Time.", labels: ["name"] }, [0.5, 1]);
    for (const value of [0.5, 0.7, 3]) duration.observe({ name: "x" }, value);
    expect(metrics.text()).toBe(`# HELP depth Depth.
# TYPE depth gauge
depth 4
# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{code="200",path="/a"} 3
requests_total{code="500",path="a \\"quoted\\" \\\\ path\\nof two lines"} 1
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{name="x",le="0.5"} 1
seconds_bucket{name="x",le="1"} 2
seconds_bucket{name="x",le="+Inf"} 3
seconds_sum{name="x"} 4.2
seconds_count{name="x"} 3
`);
  });

  test("of one name are shared, and have one type", () => {
    const metrics = new Metrics();
    const family = { name: "a", help: "A." };
    metrics.counter(family).add({});
    metrics.counter(family).add({});
    expect(metrics.text()).toContain("\na 2\n");
    expect(() => metrics.gauge(family)).toThrow("a is already a counter");
  });

  test("are collected before each scrape, until the collector is removed", () => {
    const metrics = new Metrics();
    const gauge = metrics.gauge({ name: "a", help: "A." });
    let value = 0;
    const remove = metrics.beforeScrape(() => gauge.set({}, ++value));
    expect(metrics.text()).toContain("\na 1\n");
    remove();
    expect(metrics.text()).toContain("\na 1\n");
  });

  test("have a bounded number of series", () => {
    const metrics = new Metrics();
    const counter = metrics.counter({ name: "a", help: "A.", labels: ["id"] });
    for (let i = 0; i < 20_000; i++) counter.add({ id: String(i) });
    expect([...counter.lines()].length).toBe(10_000);
  });
});

test("bounds grow by a factor", () => {
  expect(exponentialBounds(10e-9, 10, 5)).toEqual([1e-8, 1e-7, 1e-6, 1e-5, 1e-4]);
});
