import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Gauges, Meters } from './meters.ts';

/** The bounds of durations, in seconds. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const storeBounds = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** The metrics of a server, in the text format of Prometheus. No label names an account, a contact or a text. */
export interface Metrics {
  readonly meters: Meters;
  /** Tells where the gauges are read from, once the service is open. */
  readonly readFrom: (read: () => Promise<Gauges>) => void;
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({ name: 'msgctl_build_info', help: 'The version that runs', labelNames: ['version'], registers }).set({ version }, 1);
  const requests = new Histogram({
    name: 'msgctl_request_duration_seconds',
    help: 'How long requests took, by operation and status',
    labelNames: ['operation', 'status'],
    buckets: requestBounds,
    registers,
  });
  const attempts = new Counter({
    name: 'msgctl_delivery_attempts_total',
    help: 'Attempts of webhook deliveries, by outcome: delivered, or the type of the failure',
    labelNames: ['outcome'],
    registers,
  });
  const store = new Histogram({
    name: 'msgctl_store_duration_seconds',
    help: 'How long reads and transactions of the store took, the wait for it included',
    labelNames: ['kind'],
    buckets: storeBounds,
    registers,
  });
  const due = new Gauge({ name: 'msgctl_jobs_due', help: 'Jobs that are due, by kind', labelNames: ['kind'], registers });
  const held = new Gauge({ name: 'msgctl_jobs_held', help: 'Jobs that are held, by kind', labelNames: ['kind'], registers });
  const streams = new Gauge({ name: 'msgctl_streams_open', help: 'Open streams of events', registers });
  const model = new Gauge({ name: 'msgctl_model_connections', help: 'Connections to the model that are in use', registers });
  let read: (() => Promise<Gauges>) | undefined;
  const refresh = async () => {
    const gauges = await read?.();
    if (!gauges) return;
    due.reset();
    held.reset();
    for (const [kind, counts] of Object.entries(gauges.jobs)) {
      due.set({ kind }, counts.due);
      held.set({ kind }, counts.held);
    }
    streams.set(gauges.streams);
    model.set(gauges.modelConnections);
  };
  return {
    meters: {
      request: (operation, status, seconds) => requests.observe({ operation, status }, seconds),
      deliveryAttempt: (outcome) => attempts.inc({ outcome }),
      store: (kind, seconds) => store.observe({ kind }, seconds),
    },
    readFrom: (given) => {
      read = given;
    },
    contentType: registry.contentType,
    text: async () => {
      await refresh();
      return await registry.metrics();
    },
  };
}
