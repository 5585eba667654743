import {
  type HorizontalPodAutoscaler,
  horizontalPodAutoscalers,
  type HorizontalPodAutoscalerStatus,
} from "../../api/autoscaling/horizontal-pod-autoscaler/schema.ts";
import type { Scale } from "../../api/autoscaling/scale/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import type { Selector } from "../../meta/labels.ts";
import { hasReason } from "../../meta/status.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { errorText } from "../../util/error-text.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { KindFinder } from "../kind-finder.ts";
import type { EventDraft } from "./event-draft.ts";
import type { Reading } from "./evaluate.ts";
import { firstMemory, type Memory } from "./memory.ts";
import { boundsOf, type Measured, type Plan, planAutoscaler, type Rescale } from "./plan.ts";
import { afterRefusal, afterRescale, withoutScale } from "./outcome.ts";
import { MetricsReader } from "./readings.ts";
import { ambiguity, parseScaleSelector } from "./selectors.ts";
import { readTarget, type ScaledTarget, writeReplicas } from "./target.ts";

/** Upstream's default of `--horizontal-pod-autoscaler-sync-period`. */
const periodMs = 15_000;

/** Scales workloads by metrics (upstream `podautoscaler/horizontal.go`). */
export function horizontalPodAutoscalerController(): Controller {
  const scaler = new Autoscaler();
  return controller({
    name: "horizontal-pod-autoscaler",
    for: horizontalPodAutoscalers,
    reads: [pods],
    workers: 5,
    async reconcile(request) {
      const { key, namespace, name, cache, env } = request;
      const hpa = cache.get(horizontalPodAutoscalers, namespace, name);
      if (hpa === undefined) {
        scaler.forget(key);
        return {};
      }
      const waitMs = scaler.untilDueMs(key, env.clock.monotonic());
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      try {
        await scaler.sync(hpa, request);
      } catch (error) {
        // Another client wrote first: the next period starts from that write.
        const level = hasReason(error, "Conflict") ? "debug" : "warn";
        if (!request.signal.aborted) env.log[level]("Cannot sync a HorizontalPodAutoscaler", { error });
      }
      return { requeueAfterMs: periodMs };
    },
  });
}

class Autoscaler {
  readonly #kinds = new KindFinder();
  readonly #metrics = new MetricsReader(this.#kinds);
  /** The times at which autoscalers are due, on the monotonic clock. The map holds exactly the autoscalers that exist. */
  readonly #due = new Map<string, number>();
  readonly #memories = new Map<string, Memory>();
  /** The selectors of the targets as last read. */
  readonly #selectors = new Map<string, Selector>();

  forget(key: string): void {
    this.#due.delete(key);
    this.#memories.delete(key);
    this.#selectors.delete(key);
  }

  /**
   * Milliseconds until an autoscaler is due; 0 begins its next period. A change of the object, such as the controller's
   * own write, does not bring the sync forward, and neither does its creation, as upstream.
   */
  untilDueMs(key: string, now: number): number {
    const due = this.#due.get(key);
    const waitMs = due === undefined ? periodMs : due - now;
    if (due === undefined) this.#due.set(key, now + periodMs);
    else if (waitMs <= 0) this.#due.set(key, now + periodMs);
    return Math.max(0, waitMs);
  }

  async sync(hpa: HorizontalPodAutoscaler, request: Reconcile): Promise<void> {
    const { key, env } = request;
    const target = await this.#target(hpa, request);
    if (target === undefined) return;
    const { scale } = target;
    const memory = this.#memories.get(key) ?? firstMemory(scale.spec.replicas ?? 0, env.clock.now());
    this.#memories.set(key, memory);
    const isMeasured = boundsOf(hpa, scale).decides === "metrics";
    const measured = isMeasured ? await this.#measure(hpa, scale, request) : undefined;
    const plan = planAutoscaler({ hpa, scale, measured, memory, now: env.clock.now() });
    this.#memories.set(key, plan.memory);
    if (plan.error !== undefined) env.log.info("Cannot compute all metrics", { error: plan.error });
    for (const event of plan.events) tell(hpa, event, request);
    if (plan.rescale === undefined) await write(hpa, plan.status, request);
    else await this.#rescale(hpa, target, plan, plan.rescale, request);
  }

  async #target(hpa: HorizontalPodAutoscaler, request: Reconcile): Promise<ScaledTarget | undefined> {
    try {
      return await readTarget(hpa, this.#kinds, request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      const { event, status } = withoutScale(hpa, errorText(error), request.env.clock.now());
      tell(hpa, event, request);
      await write(hpa, status, request);
      return undefined;
    }
  }

  async #measure(hpa: HorizontalPodAutoscaler, scale: Scale, request: Reconcile): Promise<Measured> {
    const { key, namespace, cache, signal } = request;
    const { selector: text = "" } = scale.status;
    const parsed = parseScaleSelector(text);
    if ("problem" in parsed) return parsed;
    const { selector } = parsed;
    this.#selectors.set(key, selector);
    const selected = cache.list(pods, { namespace, selector });
    const problem = ambiguity(hpa, text, selected, this.#selectors);
    if (problem !== undefined) return { problem };
    const readings: Reading[] = [];
    for (const metric of hpa.spec.metrics ?? []) {
      readings.push(await this.#metrics.read(metric, selector, request));
      signal.throwIfAborted();
    }
    return { pods: selected, readings };
  }

  async #rescale(
    hpa: HorizontalPodAutoscaler,
    target: ScaledTarget,
    plan: Plan,
    rescale: Rescale,
    request: Reconcile,
  ): Promise<void> {
    const { clock } = request.env;
    try {
      await writeReplicas(target, rescale.to, request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      const { event, status } = afterRefusal(plan, rescale, hpa, errorText(error), clock.now());
      tell(hpa, event, request);
      await write(hpa, status, request);
      return;
    }
    const { event, status, memory } = afterRescale(plan, rescale, hpa, clock.now());
    this.#memories.set(request.key, memory);
    tell(hpa, event, request);
    await write(hpa, status, request);
  }
}

function tell(
  hpa: HorizontalPodAutoscaler,
  { type, reason, message }: EventDraft,
  { events }: Reconcile,
): void {
  events.event(hpa, type, reason, message);
}

async function write(
  hpa: HorizontalPodAutoscaler,
  status: HorizontalPodAutoscalerStatus,
  request: Reconcile,
): Promise<void> {
  if (deepEqual(hpa.status, status)) return;
  const { client, signal } = request;
  try {
    await ignoreGone(client.of(horizontalPodAutoscalers).updateStatus({ ...hpa, status }, { signal }));
  } catch (error) {
    if (!signal.aborted)
      tell(hpa, { type: "Warning", reason: "FailedUpdateStatus", message: errorText(error) }, request);
    throw error;
  }
}
